"""Operations of generators: what takes no memory, formulas of it, and folds of those.

Some are larger than what else a program holds: folds of generators run in tiles.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any, NamedTuple

import numpy as np

import dask_tapestry as dt
from tests.fuzz import values
from tests.fuzz.steps import Call, Step

LENGTHS = [0, 1, 3, 20, 300, 5000, 70_000]
WHOLE = "sum prod count_nonzero".split()  # exact if the cells are small integers
CHOSEN = "min max any all argmin argmax ptp".split()  # exact always
ROUNDED = "mean std var".split()


class Made(NamedTuple):
    """How a generator is written, and a function of ``xp`` that makes it."""

    text: str
    make: Call


def _sides(random: Random) -> tuple[int, ...]:
    """A shape, perhaps a large one."""
    if random.random() < 0.5:
        return values.shape(random)
    n = random.choice(LENGTHS)
    return random.choice([(n,), (n,), (n // 3, 3), (2, n // 4, 2), (1, n)])


def _arange(random: Random) -> Made:
    n, dtype = random.choice(LENGTHS), random.choice([None, None, *values.DTYPES[1:12]])
    start, step = random.choice([0, 0, 1, -3, 2.0]), random.choice([1, 1, 2, -1, 0.5])
    bounds = random.choice([(n,), (start, start + n * step, step), (start, n)])
    if dtype in ("i1", "u1", "f2"):
        bounds = (random.randint(0, 100),)  # NumPy counts up in a dtype that cannot hold it
    return Made(f"arange{bounds} {dtype}", lambda xp: xp.arange(*bounds, dtype=dtype))


def _linspace(random: Random) -> Made:
    n = random.choice(LENGTHS)
    ends = random.choice([(0, 1), (-2, 5.5), (3, 3), (0, n), (1j, 2)])
    last = random.random() < 0.7
    return Made(f"linspace{(*ends, n, last)}", lambda xp: xp.linspace(*ends, n, endpoint=last))


def _full(random: Random) -> Made:
    sides, value = _sides(random), random.choice([0, 1, 2, 3.5, True, 1j, np.int8(3)])
    return Made(f"full({sides}, {value!r})", lambda xp: xp.full(sides, value))


def _ones(random: Random) -> Made:
    name, sides = random.choice(["ones", "zeros"]), _sides(random)
    dtype = random.choice(values.NUMBERS)
    return Made(f"{name}({sides}, {dtype})", lambda xp: getattr(xp, name)(sides, dtype))


def _eye(random: Random) -> Made:
    n, m, k = random.randint(0, 90), random.choice([None, 0, 1, 40]), random.randint(-3, 3)
    name, dtype = random.choice(["eye", "tri"]), random.choice(values.NUMBERS)
    return Made(f"{name}{(n, m, k, dtype)}", lambda xp: getattr(xp, name)(n, m, k, dtype))


def _indices(random: Random) -> Made:
    sides, dim = _sides(random), random.randint(0, 4)
    if not sides:
        sides = (4,)
    return Made(f"indices({sides})[{dim % len(sides)}]", lambda xp: _indexed(xp, sides, dim))


def _indexed(xp: Any, sides: tuple[int, ...], dim: int) -> Any:
    if xp is np:
        return np.indices(sides)[dim % len(sides)]
    return dt.index_tensor(dt.zeros(sides, "u1"))[dim % len(sides)]


def _field(random: Random) -> Made:
    """A random field; its own value, computed whole, is what NumPy goes on with."""
    sides, seed = _sides(random), random.randint(0, 9)
    draws: dict[str, Any] = {
        "normal": lambda r: r.normal(size=sides),
        "random f4": lambda r: r.random(sides, dtype="f4"),
        "integers": lambda r: r.integers(-3, 9, size=sides),
        "exponential": lambda r: r.exponential(size=sides),
        "permutation": lambda r: r.permutation(sides[0] if sides else 5),
    }
    name = random.choice(list(draws))

    def make(xp: Any) -> Any:
        field = draws[name](dt.random.default_rng(seed))
        return field.compute() if xp is np else field

    return Made(f"random {name} {sides}, seed {seed}", make)


GENERATORS = (_arange, _arange, _linspace, _full, _ones, _eye, _indices, _field)


def _formula(random: Random, made: Made) -> Made:
    """A function cell by cell of a generator."""
    text, make = made
    k = random.choice([1, 2, 5])
    formulas: list[tuple[str, Call]] = [
        (f"{text} + {k}", lambda xp, g: g + k),
        (f"{text} * {k}", lambda xp, g: g * k),
        (f"where({text} > {k}, 1.0, 0.0)", lambda xp, g: xp.where(abs(g) > k, 1.0, 0.0)),
        (f"{text} == {k}", lambda xp, g: g == k),
        (f"({text})[::-1]", lambda xp, g: g[::-1]),
        (f"({text})[{k}:]", lambda xp, g: g[k:]),
        (f"({text}).T + 0", lambda xp, g: g.T + 0),
        (f"({text}) - ({text})[:1]", lambda xp, g: g + g[:1]),
        (f"concatenate of {text} twice", lambda xp, g: xp.concatenate([g, g])),
        (f"ravel({text})", lambda xp, g: xp.ravel(g)),
        (f"diff({text})", lambda xp, g: xp.diff(g)),
    ]
    shown, call = random.choice(formulas)
    return Made(shown, lambda xp: call(xp, make(xp)))


def generator(random: Random, xs: Sequence[np.ndarray]) -> Step:
    """A generator, formulas of it, and a fold."""
    made = random.choice(GENERATORS)(random)
    while random.random() < 0.5:
        made = _formula(random, made)
    with np.errstate(all="ignore"):
        try:
            cells = np.asarray(made.make(np))
        except (IndexError, ValueError, TypeError, OverflowError):  # so ours must refuse it, too
            return Step(made.text, made.make, "same", inputs=())
    if cells.size <= 200 and random.random() < 0.3:
        return Step(made.text, made.make, "same", inputs=())
    return _folded(random, made, cells)


def _folded(random: Random, made: Made, cells: np.ndarray) -> Step:
    name = random.choice([*WHOLE, *CHOSEN, *ROUNDED])
    axis = random.choice([None, None, *range(cells.ndim)])
    if name == "prod" and not np.all(np.abs(cells) <= 1):
        name = "sum"  # a product of many overflows in some order
    if name not in CHOSEN and cells.dtype.char == "e":
        name = "max"  # NumPy folds halves as halves: they overflow, or lose what is small
    exact = name in CHOSEN
    if name in WHOLE:
        exact = values.is_whole(cells) and values.is_whole(getattr(np, name)(cells, axis=axis))
    return Step(
        f"{name}({made.text}, {axis})",
        lambda xp: getattr(xp, name)(made.make(xp), axis=axis),
        "same" if exact else "rounded",
        inputs=(),
    )
