"""Ways that an array comes to be computed: where it lies, how it is cut, what it is computed with.

A sharding makes one of the library's arrays of NumPy's. Its cells are the same whichever it is.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import dask_tapestry as dt

Make = Callable[[np.ndarray, Path], Any]
Chunks = tuple[int | tuple[int, ...], ...]
PIECES = (1, 4, 2, 2, 2, 2)  # about so many to an axis, by the number of axes


class Sharding(NamedTuple):
    """How arrays are made, and what for.

    Attributes
    ----------
    make
        Makes an array of cells, and of a folder for what is stored.
    parts
        Blocks that an input is worth.
    workers, threads
        What is planned for, whatever computes it.
    """

    name: str
    make: Make
    parts: int = 4
    workers: int = 2
    threads: int = 2

    def planned(self, nbytes: int) -> AbstractContextManager[Any]:
        """Context in which plans are made for inputs of so many bytes."""
        machines = dt.Resources(workers=self.workers, threads=self.threads, memory="2 GiB")
        return dt.config(block_bytes=max(1, nbytes // self.parts), resources=machines)


def odd(shape: Sequence[int]) -> Chunks:
    """Chunks of odd sizes, but for the last of an axis."""
    return tuple(max(1, n // PIECES[len(shape)] | 1) for n in shape)


def powers(shape: Sequence[int]) -> Chunks:
    """Chunks with powers of two as sides."""
    halvings = (PIECES[len(shape)] - 1).bit_length()
    return tuple(1 << max(0, (n - 1).bit_length() - halvings) for n in shape)


def past(shape: Sequence[int], by: int) -> Chunks:
    """Chunks with sides that are almost powers of two: each cuts a leaf of the canonical tree."""
    return tuple(max(1, side + by) for side in powers(shape))


def along(shape: Sequence[int], axis: int, count: int) -> Chunks:
    """About so many chunks along one axis, all of the others."""
    at = axis % len(shape) if shape else 0
    return tuple(max(1, -(-n // count)) if k == at else max(1, n) for k, n in enumerate(shape))


def cells_alone(shape: Sequence[int]) -> Chunks:
    """Single cells at both ends of the longest axis and amid it, and at the start of others."""
    longest = max(shape, default=0)
    at = longest // 2
    ends = (1, at - 1, 1, longest - at - 2, 1) if longest > 5 else (1,) * longest
    return tuple(ends if n == longest else (1, n - 1) if n > 1 else (n,) for n in shape)


def uneven(shape: Sequence[int]) -> Chunks:
    """Chunks of which each is half of what the ones before leave."""
    return tuple(_halves(n, PIECES[len(shape)]) for n in shape)


def _halves(n: int, pieces: int) -> tuple[int, ...]:
    lengths = []
    while n > 1 and len(lengths) < pieces - 1:
        lengths.append(n // 2)
        n -= n // 2
    return (*lengths, n)


def cut(chunks: Callable[..., Chunks], *args: int) -> Make:
    """In memory, cut as told."""
    return lambda x, _: dt.asarray(x).rechunk(chunks(x.shape, *args))


def given(x: np.ndarray, folder: Path) -> Any:
    return dt.asarray(x)


def duck(x: np.ndarray, folder: Path) -> Any:
    """Something with chunks that is read box by box."""
    return dt.from_array(x, chunks=odd(x.shape))


def stored(chunks: Callable[..., Chunks], *args: int) -> Make:
    """In a Zarr store with such chunks, which is written once."""

    def read(x: np.ndarray, folder: Path) -> Any:
        if x.dtype.kind in "US" or not x.ndim or not x.size:
            return dt.asarray(x)
        sides = chunks(x.shape, *args)
        path = folder / f"{digest(x)}-{'-'.join(map(str, sides))}.zarr"
        if not path.exists():
            dt.to_zarr(dt.asarray(x), path, chunks=sides, scheduler="sync")
        return dt.from_zarr(path)

    return read


def digest(x: np.ndarray) -> str:
    return f"{hash(x.tobytes()) & (1 << 60) - 1:x}-{x.dtype.str[1:].strip('[]<>')}"


def stored_otherwise(x: np.ndarray, folder: Path) -> Any:
    """Chunks of rows are stored, chunks of columns wanted."""
    return stored(along, 0, 5)(x, folder).rechunk(along(x.shape, -1, 4))


def joined(axis: int) -> Make:
    """Parts of unequal lengths, put together."""

    def join(x: np.ndarray, _: Path) -> Any:
        if not x.ndim:
            return dt.asarray(x)
        n = x.shape[axis]
        parts = np.split(x, sorted({n // 7, n // 3, n - n // 4}), axis)
        return dt.concatenate([dt.asarray(part) for part in parts], axis)

    return join


def reshaped(x: np.ndarray, folder: Path) -> Any:
    return dt.asarray(x.reshape(-1)).rechunk(max(1, x.size // 5 | 1)).reshape(x.shape)


def in_columns(x: np.ndarray, folder: Path) -> Any:
    """F order in memory."""
    return dt.asarray(np.asfortranarray(x))


def turned(x: np.ndarray, folder: Path) -> Any:
    """Reversed and transposed, twice, the second time by the library."""
    other = np.ascontiguousarray(np.flip(x.T))
    return dt.flip(dt.asarray(other).T)


def backwards(x: np.ndarray, folder: Path) -> Any:
    """Negative strides in memory."""
    return dt.asarray(np.flip(np.flip(x).copy()))


def strided(x: np.ndarray, folder: Path) -> Any:
    """Every second cell of the last axis."""
    return dt.asarray(x.repeat(2, -1))[..., ::2] if x.ndim else dt.asarray(x)


def formula(x: np.ndarray) -> Any:
    """A formula whose cells are those of `x`."""
    mask = np.indices(x.shape).sum(0) % 3 == 1
    other = np.flip(x)
    left, right = np.where(mask, x, other), np.where(mask, other, x)
    return dt.where(dt.asarray(mask), dt.asarray(left), dt.asarray(right))


def in_the_same_step(x: np.ndarray, folder: Path) -> Any:
    return formula(x)


def in_a_step_before(x: np.ndarray, folder: Path) -> Any:
    return formula(x).rechunk(odd(x.shape))


def persisted(x: np.ndarray, folder: Path) -> Any:
    return formula(x).rechunk(powers(x.shape)).persist()


def materialised(x: np.ndarray, folder: Path) -> Any:
    return dt.asarray(formula(x).compute())


def process_of(block: np.ndarray) -> np.ndarray:
    """The number of the process that computes a block, in each of its cells."""
    return np.full(block.shape, os.getpid())


SHARDINGS = (
    Sharding("whole", given, parts=1, workers=1, threads=1),
    Sharding("rows", cut(along, 0, 5)),
    Sharding("columns", cut(along, -1, 5), parts=6),
    Sharding("odd", cut(odd)),
    Sharding("powers of two", cut(powers), workers=1, threads=3),
    Sharding("a cell less", cut(past, -1), parts=6),
    Sharding("single cells", cut(cells_alone)),
    Sharding("uneven", cut(uneven), workers=3, threads=1),
    Sharding("from_array", duck),
    Sharding("stored in rows", stored(along, 0, 4)),
    Sharding("stored in blocks", stored(powers), parts=6, workers=1, threads=4),
    Sharding("joined rows", joined(0)),
    Sharding("joined columns", joined(-1), parts=6),
    Sharding("F order", in_columns),
    Sharding("turned", turned),
    Sharding("strided", strided, parts=6),
    Sharding("a formula in the same step", in_the_same_step),
    Sharding("persisted", persisted),
    Sharding("materialised", materialised, parts=4),
    Sharding("1 worker, 16 threads", given, parts=8, workers=1, threads=16),
    Sharding("3 workers", given, workers=3, threads=1, parts=6),
    Sharding("1000 workers", given, workers=1000, threads=4, parts=8),
)
MORE = (
    Sharding("a cell more", cut(past, 1)),
    Sharding("stored in columns", stored(along, -1, 4)),
    Sharding("stored and cut otherwise", stored_otherwise),
    Sharding("reshaped", reshaped),
    Sharding("backwards", backwards, workers=1, threads=2),
    Sharding("a formula in a step before", in_a_step_before),
    Sharding("1 worker, 1 thread", given, workers=1, threads=1),
    Sharding("100 workers", given, workers=100, threads=2, parts=12),
)
