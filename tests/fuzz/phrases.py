"""Phrases: calls written as text with holes, which chance fills.

``"xp.roll(x, {k}, {axis})"`` has two holes, that words fill; ``"{'left'|'right'}"`` is a choice of
texts. A word in capitals has one value in all of a phrase. The text that is filled is run with
NumPy as ``xp`` and with this library, so what a report shows is what was run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from random import Random
from typing import Any, NamedTuple

import numpy as np

import dask_tapestry as dt
from tests.fuzz import helpers, inputs
from tests.fuzz.selectors import key
from tests.fuzz.steps import Step, axis_of
from tests.fuzz.values import DTYPES, NUMBERS, shape

HOLE = re.compile(r"\{([^{}]*)\}")
SPACE = {name: getattr(helpers, name) for name in helpers.__all__} | {"array": np.array, "np": np}


class Phrase(NamedTuple):
    """A call with holes.

    Attributes
    ----------
    text
        What is run, with ``xp``, ``x``, ``y`` and ``dt`` in it.
    trust
        As a step's.
    inputs
        The name of a maker of `tests.fuzz.inputs` whose arrays take the operands' place.
    theirs
        What NumPy runs, where it is another text; ``"ours"``: our own value, computed whole.
    """

    text: str
    trust: str = "jump"
    inputs: str = ""
    theirs: str = ""


Word = Callable[[Random, Sequence[np.ndarray]], Any]


def _masked(random: Random, xs: Sequence[np.ndarray]) -> str:
    """Text of a masked array."""
    texts = [
        "xp.ma.masked_equal(x, {0|1|2})", "xp.ma.masked_less(x, {0|1})",
        "xp.ma.masked_greater(x, {0|1})", "xp.ma.masked_array(x, x == {0|1})",
        "xp.ma.masked_where(x > {0|1}, x)", "xp.ma.array(x, mask={True|False})",
        "({masked} + {1|x|{masked}})", "({masked} * {2|{masked}})", "{masked}.reshape(-1)",
        "{masked}[::-1]", "{masked}.T",
    ]  # fmt: skip
    return fill(random, random.choice(texts[:6] if random.random() < 0.7 else texts), xs, {})


def _places(random: Random, xs: Sequence[np.ndarray]) -> str:
    n = xs[0].shape[0] if xs[0].ndim else 1
    at = [random.randint(-n, n - 1) if n else 0 for _ in range(random.randint(0, 4))]
    return f"np.array({at}, dtype=np.int64)"


WORDS: dict[str, Word] = {
    "axis": lambda r, xs: axis_of(r, xs[0]),
    "axes": lambda r, xs: axis_of(r, xs[0], several=True),
    "place": lambda r, xs: axis_of(r, xs[0], none=False),
    "within": lambda r, xs: r.randint(-xs[0].ndim, xs[0].ndim - 1) if xs[0].ndim else 0,
    "perm": lambda r, xs: tuple(r.sample(range(xs[0].ndim), xs[0].ndim)),
    "k": lambda r, xs: r.randint(-3, 5),
    "n": lambda r, xs: r.randint(0, 4),
    "seed": lambda r, xs: r.randint(0, 99),
    "bool": lambda r, xs: r.random() < 0.5,
    "q": lambda r, xs: r.choice([0.0, 0.1, 0.25, 0.5, 0.99, 1.0]),
    "dtype": lambda r, xs: repr(r.choice(NUMBERS)),
    "kind": lambda r, xs: repr(r.choice(DTYPES)),
    "real": lambda r, xs: repr(r.choice(["f4", "f8"])),
    "side": lambda r, xs: repr(r.choice(["left", "right"])),
    "order": lambda r, xs: repr(r.choice("CF")),
    "shape": lambda r, xs: shape(r, most=3),
    "small": lambda r, xs: tuple(r.randint(1, 5) for _ in range(r.randint(1, 2))),
    "chunks": lambda r, xs: tuple(r.randint(1, max(1, n)) for n in xs[0].shape),
    "widths": lambda r, xs: [(r.randint(0, 4), r.randint(0, 4)) for _ in xs[0].shape],
    "scalar": lambda r, xs: r.choice([0, 1, 2, -1, 2.0, 0.5, True]),
    "key": lambda r, xs: key(r, xs[0], arrays=True),
    "slices": lambda r, xs: key(r, xs[0], arrays=False),
    "places": _places,
    "masked": _masked,
    "moved": lambda r, xs: r.choice(["concatenate", "stack"]),
    "bar": lambda r, xs: "|",
    "name": lambda r, xs: r.choice(["sum", "max", "min", "mean", "prod"]),
    "operation": lambda r, xs: r.choice(["max", "min"]),
    "boundary": lambda r, xs: repr(r.choice(["periodic", "reflect", "nearest", 0, 2])),
    "depth": lambda r, xs: "dict(((0, 1),))",
    "axes_of_two": lambda r, xs: "dict(((0, 2),))",
    "method": lambda r, xs: repr(r.choice(helpers.QUANTILES)),
}  # fmt: skip


def fill(random: Random, text: str, xs: Sequence[np.ndarray], known: dict[str, str]) -> str:
    """The text with all its holes filled; `known` are the values of the words in capitals."""
    while hole := HOLE.search(text):
        word = hole[1]
        if "|" in word:
            value = random.choice(word.split("|"))
        elif word.isupper():
            value = known.setdefault(word, str(WORDS[word.lower()](random, xs)))
        else:
            value = str(WORDS[word](random, xs))
        text = text[: hole.start()] + value + text[hole.end() :]
    return text


def filled(random: Random, phrase: Phrase, xs: Sequence[np.ndarray]) -> Step:
    """The step that a phrase says once its holes are filled."""
    arrays = getattr(inputs, phrase.inputs)(random) if phrase.inputs else None
    operands = xs if arrays is None else [*arrays, *arrays]
    known: dict[str, str] = {}
    ours = fill(random, phrase.text, operands, known)
    theirs = ours if phrase.theirs in ("", "ours") else None
    theirs = theirs or fill(random, phrase.theirs, operands, known)
    run = compile(ours, "<ours>", "eval"), compile(theirs, "<theirs>", "eval")
    place = random.randrange(6)

    def call(xp: Any, *values: Any) -> Any:
        own = xp is dt or phrase.theirs == "ours"
        used = [dt.asarray(v) for v in values] if own and xp is np else values
        names = dict(zip("xyz", used, strict=False)) | {"xp": dt if own else np, "dt": dt}
        made = eval(run[0 if own else 1], SPACE | names)
        value = helpers.one_of(made, place)
        return value.compute() if own and xp is np else value

    return Step(f"{ours.removeprefix('xp.')} [{place}]", call, phrase.trust, arrays)
