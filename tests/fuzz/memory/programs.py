"""Random programs over stored arrays of which a plan by hand is known, and what that plan takes.

By hand each block of the result is computed by itself: a worker reads the stored chunks that it
needs, lane by lane where lanes are sorted or transformed, and writes the block or folds it. So a
worker needs some times the largest of a stored chunk, a block of what is written and the lanes that
cross it, however large the arrays are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import zarr

import dask_tapestry as dt

SHAPES = ((40_000, 30_000), (2000, 600_000), (15_000, 80_001), (3000, 2000, 200), (12 * 10**8 + 1,))
TIMES = 8  # what a block needs, by hand: it is read, decoded, copied, computed and written
FIXED = 10**8  # bytes that leaves of reductions take, whatever chunks are
ITEM = 8
PIECES = 20  # of a written array, at least

MAPS: dict[str, Callable[[Any, int], Any]] = {
    "formula": lambda x, _: x * 2 + 1,
    "where": lambda x, _: dt.where(x > 0, x, -x),
    "flip": lambda x, axis: dt.flip(x, axis=axis),
    "slice": lambda x, _: x[tuple(slice(n // 5, None, 2) for n in x.shape)],
    "centred": lambda x, axis: x - x.mean(axis=axis, keepdims=True),
    "running sum": lambda x, axis: x.cumsum(axis=axis),
    "joined": lambda x, axis: dt.concatenate([x, x + 1], axis=axis),
    "transposed": lambda x, _: x.T,
}
FOLDS: dict[str, Callable[[Any, int], Any]] = {
    "sum": lambda x, axis: x.sum(axis=axis),
    "all": lambda x, _: x.sum(),
    "std": lambda x, axis: x.std(axis=axis),
    "argmax": lambda x, axis: x.argmax(axis=axis),
}
LANES: dict[str, Callable[[Any, int], Any]] = {
    "sort": lambda x, axis: dt.sort(x, axis=axis),
    "fft": lambda x, axis: abs(dt.fft.fft(x, axis=axis)),
}


@dataclass(frozen=True)
class Program:
    """What is planned, the bytes that a worker needs by hand, and the steps in words."""

    root: Any
    needs: int
    text: str

    def resources(self, random: Random) -> dt.Resources:
        """Workers that have what is needed, or up to eight times as much."""
        memory = random.choice([1, 1, 2, 8]) * self.needs
        workers, threads = random.choice([1, 2, 4, 16]), random.choice([1, 2, 4])
        return dt.Resources(workers=workers, threads=threads, memory=int(memory / 0.7) + 1)


def drawn(random: Random, folder: Path) -> Program:
    """A program whose source lies in `folder`, without cells: none is read to plan."""
    shape = random.choice(SHAPES)
    chunks = _chunks(shape, random)
    encoding = random.choice(["auto", None])
    zarr.create_array(
        folder / "x", shape=shape, chunks=chunks, dtype="f8", compressors=encoding, overwrite=True
    )
    x, text, largest = dt.from_zarr(folder / "x"), f"{shape} in {chunks}", _bytes(chunks)
    for name in random.choices(list(MAPS), k=random.randint(0, 2)):
        axis = random.randrange(x.ndim)
        x, text = MAPS[name](x, axis), f"{text}, {name} {axis}"
    axis, end = random.randrange(x.ndim), random.choice(["fold", "lanes", "reshape", "write"])
    if end == "fold":
        name = random.choice(list(FOLDS))
        x = FOLDS[name](x, axis)
        needs = TIMES * largest + FIXED + 4 * x.nbytes
        return Program(x, needs, f"{text}, {name} {axis}")
    lane = x.shape[axis]
    if end == "lanes":
        name = random.choice(list(LANES))
        x, text = LANES[name](x, axis), f"{text}, {name} {axis}"
    elif end == "reshape":
        x, text = x.reshape(-1), f"{text}, reshape"
    block = _pieces(x.shape, random)
    crossed = prod(block) // block[axis] * lane if end == "lanes" else 2 * prod(shape[1:])
    largest = max(largest, _bytes(block), crossed * x.dtype.itemsize)
    root = dt.to_zarr(x, folder / "y", chunks=block, compute=False, overwrite=True)
    return Program(root, TIMES * largest + FIXED, f"{text}, written in {block}")


def _bytes(box: tuple[int, ...]) -> int:
    return prod(box) * ITEM


def _chunks(shape: tuple[int, ...], random: Random) -> tuple[int, ...]:
    """Chunks of rows, of columns, squarish and odd ones, or one of all cells."""
    kind, parts = (
        random.choice(["rows", "columns", "square", "odd", "whole"]),
        random.choice([3, 8]),
    )
    if kind == "rows":
        return (max(1, shape[0] // parts**2), *shape[1:])
    if kind == "columns":
        return (*shape[:-1], max(1, shape[-1] // parts**2))
    if kind == "square":
        return tuple([max(1, n // parts) for n in shape])
    return tuple([min(n, 1001) for n in shape]) if kind == "odd" else shape


def _pieces(shape: tuple[int, ...], random: Random) -> tuple[int, ...]:
    """Chunks of a result, of which there are several, and not too many."""
    sides = list(_chunks(shape, random))
    while prod(sides) * PIECES > prod(shape):
        longest = int(np.argmax(sides))
        sides[longest] = max(1, sides[longest] // 2)
    while prod(shape) > 10**4 * prod(sides):
        shortest = int(np.argmax([n / side for n, side in zip(shape, sides, strict=True)]))
        sides[shortest] = min(shape[shortest], 2 * sides[shortest])
    return tuple(sides)
