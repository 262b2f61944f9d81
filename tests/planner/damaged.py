"""Plan files as disks, editors and strangers leave them: with some of their values changed."""

import json
from copy import deepcopy
from typing import Any

from hypothesis import strategies as st

VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 12),
    st.sampled_from([10**6, -(10**9), 2**63, 10**30, -(10**30), 0.5, -1.5, 1e300]),
    st.sampled_from([float("nan"), float("inf"), -float("inf")]),
    st.sampled_from(["", "x", "8 gigs", "/etc/passwd", "nodes", "shipped", "1 GiB", "0"]),
    st.sampled_from([[], {}, [[]], [None], {"a": 1}, [1, 2, 3], [[0, 5, 5]], [[5, 0]]]),
)


@st.composite
def changed(draw: Any, written: str) -> str:
    """A plan's text with one to three values changed, or letters lost."""
    if draw(st.integers(0, 7)) == 0:
        return draw(_torn(written))
    content = json.loads(written)
    for _ in range(draw(st.integers(1, 3))):
        *way, last = draw(st.sampled_from(sorted(_ways(content), key=str)))
        there = content
        for name in way:
            there = there[name]
        _change(draw, there, last)
    return json.dumps(content)


def _change(draw: Any, there: Any, name: Any) -> None:
    """Replace, remove, double or move the value at a name, or count it up or down."""
    kinds = ["replace", "replace", "remove", "step", "swap", "double"]
    match draw(st.sampled_from(kinds)):
        case "replace":
            there[name] = deepcopy(draw(VALUES))
        case "remove":
            del there[name]
        case "step":
            value = there[name]
            number = isinstance(value, int | float)
            there[name] = value + draw(st.sampled_from([-1, 1])) if number else [value]
        case "swap":
            other = draw(st.sampled_from(sorted(_names(there), key=str)))
            there[name], there[other] = there[other], there[name]
        case "double" if isinstance(there, list):
            there.insert(name, there[name])
        case _:
            there[f"{name} again"] = there[name]


def _torn(written: str) -> Any:
    """A text of which letters are cut off, lost or others."""
    at, more = st.integers(0, len(written)), st.text(max_size=3)
    return st.builds(lambda a, n, new: written[:a] + new + written[a + n :], at, at, more)


def _names(value: Any) -> list[Any]:
    return list(value) if isinstance(value, dict) else list(range(len(value)))


def _ways(value: Any, so_far: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The names that lead to each value within a value."""
    found = []
    if isinstance(value, dict | list):
        for name in _names(value):
            found += [(*so_far, name), *_ways(value[name], (*so_far, name))]
    return found
