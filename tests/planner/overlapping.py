"""Random expressions that read a value in several boxes, near each other and far apart."""

from __future__ import annotations

from random import Random

import numpy as np

import dask_tapestry as dt

MOST = {1: 400, 2: 40, 3: 14}  # cells along a dimension, by the number of these
MOST_CELLS = 20_000
STEPS = (
    "slice", "slice", "roll", "flip", "transpose", "pad", "concatenate", "add", "add", "add",
    "where", "formula", "sum", "mean", "diff", "cumsum", "reshape", "take", "window",
)  # fmt: skip
PADS = ("constant", "edge", "wrap", "reflect", "symmetric")


def overlapping(random: Random, length: int = 8, is_stored: bool = True) -> dt.Array:
    """An expression of up to `length` steps, each of the last values or any before.

    With `is_stored` some of what it reads is stored somewhere, and never computed.
    """
    ndim = random.choice([1, 1, 2, 2, 3])
    shape = tuple(random.randint(2, MOST[ndim]) for _ in range(ndim))
    pool = [_source(random, shape, is_stored) for _ in range(random.choice([1, 1, 2]))]
    for _ in range(random.randint(2, length)):
        x, y = random.choice(pool[-3:]), random.choice(pool)
        made = _step(random, random.choice(STEPS) if x.ndim else "formula", x, y)
        if made is not None and 0 < made.size < MOST_CELLS and made.ndim <= 4:
            pool.append(made)
    return pool[-1]


def _source(random: Random, shape: tuple[int, ...], is_stored: bool) -> dt.Array:
    kind = random.choice(["stored", "stored", "memory", "generated"])
    if kind == "stored" and is_stored:
        return dt.placeholder(shape, "f8", tuple(random.randint(1, n) for n in shape))
    if kind == "generated":
        return dt.broadcast_to(dt.arange(float(shape[-1])), shape)
    return dt.asarray(np.random.default_rng(random.randrange(9)).random(shape))


def _step(random: Random, step: str, x: dt.Array, y: dt.Array) -> dt.Array | None:
    """A value of one or two others; None where they do not fit."""
    axis = random.randrange(x.ndim) if x.ndim else 0
    if step in ("concatenate", "add", "where"):
        return _of_two(random, step, x, y, axis) if x.ndim == y.ndim else None
    if step == "slice":
        return x[tuple(_slice(random, n) for n in x.shape)]
    if step == "pad":
        return dt.pad(x, [(random.randint(0, 3), 1) for _ in x.shape], mode=random.choice(PADS))
    if step == "reshape":
        return x.reshape(-1) if random.random() < 0.5 or x.size % 2 else x.reshape(2, -1)
    if step == "take":
        places = [random.randrange(x.shape[axis]) for _ in range(random.randint(1, 12))]
        return dt.take(x, places, axis=axis)
    if step == "window":
        width = random.randint(1, min(4, x.shape[axis]))
        return dt.lib.stride_tricks.sliding_window_view(x, width, axis=axis).mean(-1)
    return {
        "roll": lambda: dt.roll(x, random.randint(-9, 9), axis),
        "flip": lambda: dt.flip(x, axis),
        "transpose": lambda: x.T,
        "formula": lambda: dt.sqrt(x * x + 1),
        "sum": lambda: x.sum(axis, keepdims=random.random() < 0.5),
        "mean": lambda: x - x.mean(axis, keepdims=True),
        "diff": lambda: dt.diff(x, axis=axis),
        "cumsum": lambda: dt.cumsum(x, axis=axis),
    }[step]()


def _slice(random: Random, extent: int) -> slice:
    start = random.randint(0, extent // 2)
    return slice(start, random.randint(min(extent, start + 1), extent), random.choice([1, 1, 2, 3]))


def _of_two(random: Random, step: str, x: dt.Array, y: dt.Array, axis: int) -> dt.Array:
    sides = [min(a, b) for a, b in zip(x.shape, y.shape, strict=True)]
    if step == "concatenate":
        of_x, of_y = list(sides), list(sides)
        of_x[axis], of_y[axis] = x.shape[axis], y.shape[axis]
        return dt.concatenate([_first(x, of_x), _first(y, of_y)], axis)
    last = tuple(slice(n - m, n) for n, m in zip(x.shape, sides, strict=True))
    a, b = x[last] if random.random() < 0.5 else _first(x, sides), _first(y, sides)
    return a + b if step == "add" else dt.where(a > 0.3, a, b)


def _first(x: dt.Array, sides: list[int]) -> dt.Array:
    return x[tuple(slice(n) for n in sides)]
