"""Every function and method of the array API standard 2025.12 is there and takes its arguments.

``signatures.txt`` lists names and arguments of the standard, one a line.
"""

import inspect
from functools import reduce
from pathlib import Path

import pytest

import dask_tapestry as dt

LINES = (Path(__file__).parent / "signatures.txt").read_text().split("\n")[:-1]


def arguments(text):
    """Arguments by place alone, by place or name, and by name alone; None for any number."""
    names = [name for name in text.split(", ") if name]
    star = next((i for i, name in enumerate(names) if name.startswith("*")), len(names))
    by_place, by_name = names[:star], names[star + 1 :]
    alone = by_place.index("/") if "/" in by_place else 0
    several = star < len(names) and names[star] != "*"
    return by_place[:alone], [x for x in by_place[alone:] if x != "/"], by_name, several


@pytest.mark.parametrize("line", LINES)
def test_it_is_there_and_takes_the_arguments(line):
    name, _, rest = line.partition("(")
    found = reduce(getattr, name.split("."), dt)
    alone, either, by_name, several = arguments(rest[:-1])
    own = [0] * (name.startswith("Array.") + len(alone) + several)
    signature = inspect.signature(found)
    signature.bind(*own, *either, **dict.fromkeys(by_name))
    if not several:
        signature.bind(*own, **dict.fromkeys(either + by_name))


def test_the_standard_is_listed_whole():
    assert len(LINES) == 208
    assert dt.__array_api_version__ == "2025.12"
