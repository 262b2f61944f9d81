"""Random programs of large arrays: joint folds, formulas of scalars, views, lanes and products.

Blocks of large arrays are computed in pieces, folded in parts, held, cut and handed on: a planner
that fails there fails for no small array. Where no cell is made, what is tested is that each
program has a plan whose memory is verified, or is refused for its memory. Programs of arrays that
are a few thousand times as small are computed in as many times smaller pieces.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from random import Random
from typing import Any

import numpy as np

import dask_tapestry as dt

SHAPES = (
    (40_000_000,), (3_000_000_001,), (200_000, 64), (64, 900_000), (5_000, 4_001), (60_000, 40_000),
    (3_000, 120, 160), (1_200, 3, 64, 64), (400_000, 8, 3),
)  # fmt: skip
DTYPES = ("f8", "f8", "f4", "f4", "i4", "u1", "c8", "?")
MACHINES = ((1, 2, "300MB"), (2, 2, "300MB"), (2, 2, "2GiB"), (4, 1, "8GiB"), (32, 4, "16GiB"))
FOLDS = "sum mean max min std var any all argmax count_nonzero".split()
FUNCTIONS = "sqrt abs exp negative isfinite".split()
MOST_CELLS = 10**11
MOST_SMALL = 4096  # of a dimension, to be multiplied with all others of its kind

Values = list[tuple[str, Any]]  # text and array
Draw = Callable[[Random, Any, Sequence[Any]], tuple[str, Any]]
Make = Callable[[tuple[int, ...], str, tuple[int, ...]], Any]


def drawn(random: Random) -> tuple[str, list[Any], dt.Resources]:
    """The text of a program, its outputs, and the machine that it is planned for."""

    def stored(shape: tuple[int, ...], dtype: str, sides: tuple[int, ...]) -> Any:
        return dt.placeholder(shape, dtype, stored_chunks=sides)

    text, outputs = made_by(random, dt, SHAPES, stored)
    workers, threads, memory = random.choice(MACHINES)
    text += f"\non {workers} x {threads} x {memory}"
    return text, outputs, dt.Resources(workers, threads, memory)


def made_by(
    random: Random, xp: Any, shapes: Sequence[tuple[int, ...]], make: Make
) -> tuple[str, list[Any]]:
    """The text of a program, and its outputs as `xp` has them: the same one for each random state.

    Parameters
    ----------
    shapes
        Of sources, to choose from.
    make
        Makes a source, of a shape, a dtype and sides of chunks.
    """
    values: Values = [_source(random, shapes, make) for _ in range(random.randint(1, 2))]
    lines = [f"{name} = {text}" for name, (text, _) in zip("xy", values, strict=False)]
    arrays = [array for _, array in values]
    for number in range(random.randint(2, 7)):
        text, made = _operation(random, xp, arrays)
        if prod(made.shape) <= MOST_CELLS:
            lines.append(f"v{number} = {text} -> {made.dtype}{made.shape}")
            arrays.append(made)
    others = random.sample(arrays[:-1], k=min(len(arrays) - 1, random.randint(0, 2)))
    return "\n".join(lines), [x if x.nbytes < 10**9 else x.max() for x in (arrays[-1], *others)]


def _source(random: Random, shapes: Sequence[tuple[int, ...]], make: Make) -> tuple[str, Any]:
    """A stored array, in chunks of rows, of columns, or squarish ones that fill no dimension."""
    shape, dtype = random.choice(shapes), random.choice(DTYPES)
    parts = random.choice([7, 20, 33])
    sides = {
        "rows": (-(-shape[0] // parts), *shape[1:]),
        "columns": (*shape[:-1], -(-shape[-1] // parts)),
        "square": tuple(-(-n // 5) for n in shape),
    }[kind := random.choice(["rows", "rows", "columns", "square"])]
    text = f"stored {dtype}{shape} in {kind} of {sides}"
    return text, make(shape, dtype, sides)


def _operation(random: Random, xp: Any, arrays: Sequence[Any]) -> tuple[str, Any]:
    """An operation on what was made last, or before."""
    at = len(arrays) - 1 if random.random() < 0.6 else random.randrange(len(arrays))
    x = arrays[at]
    draw = random.choice(_ANY if x.ndim == 0 or 0 in x.shape else _OPERATIONS)
    text, made = draw(random, xp, [x, *arrays])
    return f"{text} of {at}", made


def _number(x: Any) -> Any:
    """The array as one of numbers."""
    return x + 0 if x.dtype == bool else x


def _formula(random: Random, xp: Any, xs: Sequence[Any]) -> tuple[str, Any]:
    x, name = xs[0], random.choice(FUNCTIONS)
    if random.random() < 0.4:
        return f"{name}(x)", getattr(xp, name)(_number(x))
    return "x * .5 + 1", x * 0.5 + 1


def _pair(random: Random, xp: Any, xs: Sequence[Any]) -> tuple[str, Any]:
    """A formula of two arrays: of scalars, of rows, or of whole ones."""
    x, *others = xs
    fitting = [at for at, y in enumerate(others) if _broadcasts(x, y)]
    at = random.choice(fitting)
    return f"x * x + {at} / 4", x * x + others[at] / 4


def _broadcasts(x: Any, y: Any) -> bool:
    try:
        return bool(np.broadcast_shapes(x.shape, y.shape) in (x.shape, y.shape))
    except ValueError:
        return False


def _fold(random: Random, xp: Any, xs: Sequence[Any]) -> tuple[str, Any]:
    x, name, keep = xs[0], random.choice(FOLDS), random.random() < 0.5
    axis = random.choice([None, *range(x.ndim)])
    if name in ("max", "min", "argmax", "std", "var") and x.dtype.kind == "c":
        name = "mean"
    return f"{name}(x, {axis}, keepdims={keep})", getattr(xp, name)(x, axis=axis, keepdims=keep)


def _folds_of_one(random: Random, xp: Any, xs: Sequence[Any]) -> tuple[str, Any]:
    """A formula of several folds: they are made of one pass."""
    x, axis = abs(_number(xs[0])), random.choice([None, *range(xs[0].ndim)])
    first, second = random.choices(["sum", "mean", "max", "min", "std"], k=2)
    made = getattr(xp, first)(x * x, axis=axis) / 3 - getattr(xp, second)(x, axis=axis)
    return f"{first}(x * x, {axis}) / 3 - {second}(x, {axis})", made


def _neighbours(random: Random, xp: Any, xs: Sequence[Any]) -> tuple[str, Any]:
    x, axis = _number(xs[0]), random.randrange(xs[0].ndim)
    if x.shape[axis] < 4:
        return "x - 1", x - 1
    later, earlier = ([slice(None)] * x.ndim for _ in range(2))
    later[axis], earlier[axis] = slice(1, None), slice(None, -1)
    if random.random() < 0.5:
        return f"x - roll(x, 1, {axis})", x - xp.roll(x, 1, axis)
    return f"neighbours along {axis}", x[tuple(later)] - x[tuple(earlier)]


def _view(random: Random, xp: Any, xs: Sequence[Any]) -> tuple[str, Any]:
    x = xs[0]
    axis, step = random.randrange(x.ndim), random.choice([1, 2, -1, 7])
    index = tuple(slice(None, None, step) if d == axis else slice(None) for d in range(x.ndim))
    views = {
        f"every {step} along {axis}": lambda: x[index],
        "transposed": lambda: x.T,
        "a half": lambda: x[x.shape[0] // 3 : 2 * x.shape[0] // 3 + 1],
        "flat": lambda: x.reshape(-1),
        "twice": lambda: xp.concatenate([x, x], axis=axis),
        "taken": lambda: xp.take(x, np.arange(min(1000, x.shape[axis])) // 2, axis=axis),
    }
    name = random.choice(list(views))
    return name, views[name]()


def _lanes(random: Random, xp: Any, xs: Sequence[Any]) -> tuple[str, Any]:
    """What reads whole lanes: scans, sorts, percentiles, transforms, windows."""
    x = _number(xs[0]).real if xs[0].dtype.kind == "c" else _number(xs[0])
    axis = int(np.argmin(x.shape)) if random.random() < 0.7 else random.randrange(x.ndim)
    length = min(3, x.shape[axis])
    lanes = {
        "cumsum": lambda: xp.cumsum(x, axis=axis),
        "sort": lambda: xp.sort(x, axis=axis),
        "percentile": lambda: xp.percentile(x, [10, 50], axis=axis),
        "spectrum": lambda: abs(xp.fft.rfft(x, axis=axis)),
        "windows": lambda: xp.lib.stride_tricks.sliding_window_view(x, length, axis).mean(-1),
        "histogram": lambda: xp.histogram(x, bins=16, range=(0, 1))[0],
    }
    name = random.choice(list(lanes))
    return f"{name} along {axis}", lanes[name]()


def _normalised(random: Random, xp: Any, xs: Sequence[Any]) -> tuple[str, Any]:
    x, axis = _number(xs[0]), random.randrange(xs[0].ndim)
    return f"normalised along {axis}", (x - x.mean(axis, keepdims=True)) / x.std(
        axis, keepdims=True
    )


def _product(random: Random, xp: Any, xs: Sequence[Any]) -> tuple[str, Any]:
    x = xs[0]
    if x.ndim != 2 or x.dtype == bool or min(x.shape) > MOST_SMALL:
        return "x > x.mean()", x > x.mean()
    return ("x.T @ x", x.T @ x) if x.shape[1] <= MOST_SMALL else ("x @ x.T", x @ x.T)


_ANY: tuple[Draw, ...] = (_formula, _pair)
_OPERATIONS: tuple[Draw, ...] = (
    _formula, _pair, _pair, _fold, _fold, _folds_of_one, _folds_of_one, _neighbours, _view, _lanes,
    _normalised, _product,
)  # fmt: skip
