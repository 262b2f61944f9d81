"""Small steps at random: programs of several operators, and cuts of their output."""

from __future__ import annotations

from random import Random

import numpy as np

import dask_tapestry as dt
from dask_tapestry.planner.fusion.group import group_of
from dask_tapestry.steps.program import Program
from dask_tapestry.zspace import Cuts

MOST_CELLS = 4000
LENGTH = 6
TRIES = 40


def random_cuts(random: Random, extent: int) -> Cuts:
    """Cuts of one dimension: mostly regular ones, of few blocks or many."""
    if not extent:
        return Cuts.regular(0, 1)
    kind = random.random()
    if kind < 0.15:
        return Cuts.regular(extent, extent)
    if kind < 0.8:
        lead = random.randint(1, extent) if random.random() < 0.3 else None
        return Cuts.regular(extent, random.randint(1, max(1, extent // 2)), lead)
    edges = sorted(random.sample(range(1, extent), min(extent - 1, random.randint(0, 4))))
    return Cuts.of_lengths([b - a for a, b in zip([0, *edges], [*edges, extent], strict=True)])


def _source(random: Random) -> dt.Array:
    shape = tuple(random.choice((3, 7, 8, 12, 20)) for _ in range(random.randint(1, 3)))
    if random.random() < 0.4:
        shape = (shape[0],) * len(shape)
    chunks = tuple(random.randint(1, n) for n in shape) if random.random() < 0.4 else None
    if random.random() < 0.5:
        return dt.placeholder(shape, "f8", chunks)
    return dt.asarray(np.ones(shape))


def _sliced(random: Random, x: dt.Array) -> dt.Array:
    key = []
    for n in x.shape:
        start = random.randint(0, n - 1)
        step = random.choice((1, 1, 2, 3, -1, -2))
        part = slice(start, None, step) if step > 0 else slice(n - 1 - start, None, step)
        key.append(part if random.random() < 0.6 else slice(None))
    return x[tuple(key)]


def _spread(random: Random, x: dt.Array) -> dt.Array:
    axis = random.randint(0, x.ndim)
    n = random.choice((2, 5, x.shape[0]))
    wide = dt.expand_dims(x, axis=axis)
    return dt.broadcast_to(wide, (*x.shape[:axis], n, *x.shape[axis:]))


def _outer(random: Random, x: dt.Array) -> dt.Array:
    line = x.reshape(-1)[:20] if x.ndim > 1 else x
    return line[:, None] * line[None, :] if random.random() < 0.5 else line[:, None] + line[::-1]


def _symmetric(random: Random, x: dt.Array) -> dt.Array:
    if x.ndim < 2:
        return x + x[::-1]
    n = min(x.shape[-2:])
    square = x[..., :n, :n]
    return square + dt.swapaxes(square, -1, -2)


def _padded(random: Random, x: dt.Array) -> dt.Array:
    mode = random.choice(("constant", "wrap", "reflect", "edge", "symmetric"))
    most = min(3, min(x.shape) - 1)
    widths = [(random.randint(0, most), random.randint(0, most)) for _ in x.shape]
    return dt.pad(x, widths, mode=mode)


def _stencil(random: Random, x: dt.Array) -> dt.Array:
    axis = random.randrange(x.ndim)
    y = dt.pad(x, [(1, 1) if a == axis else (0, 0) for a in range(x.ndim)])
    before, behind = [slice(None)] * x.ndim, [slice(None)] * x.ndim
    before[axis], behind[axis] = slice(None, -2), slice(2, None)
    return y[tuple(before)] + y[tuple(behind)] + x


def _joined(random: Random, x: dt.Array) -> dt.Array:
    axis = random.randrange(x.ndim)
    return dt.concatenate([x, x[::-1], x] if random.random() < 0.5 else [x, x], axis)


def _reshaped(random: Random, x: dt.Array) -> dt.Array:
    if x.ndim > 1 and random.random() < 0.6:
        axis = random.randrange(x.ndim - 1)
        return x.reshape(*x.shape[:axis], -1, *x.shape[axis + 2 :])
    axis = random.randrange(x.ndim)
    factors = [f for f in (2, 3, 4, 5) if x.shape[axis] % f == 0]
    f = random.choice(factors) if factors else 1
    return x.reshape(*x.shape[:axis], x.shape[axis] // f, f, *x.shape[axis + 1 :])


def _diagonal(random: Random, x: dt.Array) -> dt.Array:
    return dt.diagonal(x, random.randint(-1, 1)) if x.ndim > 1 else x


def _product(random: Random, x: dt.Array) -> dt.Array:
    return x @ dt.swapaxes(x, -1, -2) if x.ndim > 1 else x


def _updated(random: Random, x: dt.Array) -> dt.Array:
    y = x + 1
    n = x.shape[0]
    y[random.randint(0, n // 2) : random.randint(n // 2, n) : random.randint(1, 3)] = 7
    return y


def _taken(random: Random, x: dt.Array) -> dt.Array:
    axis = random.randrange(x.ndim)
    n = x.shape[axis]
    return dt.take(x, np.array([random.randrange(n) for _ in range(random.randint(1, 9))]), axis)


MAKES = (
    _sliced,
    _sliced,
    _spread,
    _outer,
    _symmetric,
    _padded,
    _stencil,
    _stencil,
    _joined,
    _reshaped,
    _reshaped,
    _diagonal,
    _product,
    _updated,
    _taken,
    lambda r, x: x.T,
    lambda r, x: dt.flip(x, r.randrange(x.ndim)),
    lambda r, x: dt.roll(x, r.randint(-5, 5), r.randrange(x.ndim)),
    lambda r, x: dt.repeat(x, r.randint(1, 3), r.randrange(x.ndim)),
    lambda r, x: dt.tile(x, r.randint(1, 3)),
    lambda r, x: x.sum(axis=r.randrange(x.ndim)) if x.ndim > 1 else x,
    lambda r, x: x - x.mean(axis=r.randrange(x.ndim), keepdims=True),
    lambda r, x: dt.cumsum(x, axis=r.randrange(x.ndim)),
    lambda r, x: dt.sort(x, axis=r.randrange(x.ndim)),
    lambda r, x: dt.stack([x, x + 1], r.randint(0, x.ndim)),
    lambda r, x: dt.moveaxis(x, 0, -1),
    lambda r, x: x + x.max(),
)


def random_step(random: Random) -> tuple[Program, tuple[Cuts, ...]]:
    """A program that fuses what a few operations make, some values of which come from outside."""
    pool = [_source(random) for _ in range(random.randint(1, 2))]
    made = random.choice(pool)
    for _ in range(random.randint(1, LENGTH)):
        x = random.choice(MAKES)(random, made)
        if not 0 < x.size <= MOST_CELLS or x.ndim > 4 or 0 in x.shape or not x.ndim:
            continue
        same = [y for y in pool if y.shape == x.shape]
        made = x + random.choice(same) if same and random.random() < 0.5 else x
        pool.append(made)
    node = made.node
    held = {y.node for y in pool if random.random() < 0.3} - {node}
    program = group_of(node, held).program
    return program, tuple(random_cuts(random, n) for n in node.type.shape)


def random_roots(random: Random) -> list[dt.Array | dt.Effect]:
    """Results of a few operations, most of which are held as cut at random; some are written."""
    pool = [_source(random) for _ in range(random.randint(1, 2))]
    made = random.choice(pool)
    for _ in range(random.randint(1, LENGTH)):
        x = random.choice(MAKES)(random, made)
        if not 0 < x.size <= MOST_CELLS or x.ndim > 4 or not x.ndim:
            continue
        same = [y for y in pool if y.shape == x.shape]
        made = x + random.choice(same) if same and random.random() < 0.5 else x
        if random.random() < 0.5:
            made = made.rechunk(tuple(random.randint(max(1, n // 5), n) for n in made.shape))
        pool.append(made)
    more = [random.choice(pool)] if random.random() < 0.3 else []
    if random.random() < 0.2:
        return [dt.to_zarr(made, "nowhere", compute=False), *more]
    return [made, *more]
