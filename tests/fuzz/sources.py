"""Where the arrays of random programs come from: memory in any layout, stores, other libraries."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import dask.array
import numpy as np
import zarr

import dask_tapestry as dt

Chunks = tuple[int, ...]


def _memory(random: Random, x: np.ndarray, chunks: Chunks) -> Any:
    return dt.asarray(x)


def _fortran(random: Random, x: np.ndarray, chunks: Chunks) -> Any:
    return dt.asarray(x.copy("F"))


def _strided(random: Random, x: np.ndarray, chunks: Chunks) -> Any:
    """Every second or third cell of a larger array, some axes of it backwards."""
    steps = [random.choice([1, 2, 3, -1, -2]) for _ in x.shape]
    larger = np.zeros([n * abs(s) for n, s in zip(x.shape, steps, strict=True)], x.dtype)
    view = larger[(*(slice(None, None, s) for s in steps), ...)]
    view[...] = x
    assert view.shape == x.shape
    return dt.asarray(view)


def _permuted(random: Random, x: np.ndarray, chunks: Chunks) -> Any:
    order = random.sample(range(x.ndim), x.ndim)
    return dt.asarray(x.transpose(order).copy("C").transpose(np.argsort(order)))


def _frozen(random: Random, x: np.ndarray, chunks: Chunks) -> Any:
    frozen = x.copy()
    frozen.flags.writeable = False
    return dt.asarray(frozen)


def _chunked(random: Random, x: np.ndarray, chunks: Chunks) -> Any:
    return dt.from_array(x, chunks=chunks)


def _stored(random: Random, x: np.ndarray, chunks: Chunks) -> Any:
    if any(x.dtype[name].shape for name in x.dtype.names or ()):
        return dt.from_array(x, chunks=chunks)  # zarr writes no zeros for fields that are arrays
    store = zarr.storage.MemoryStore()
    made = zarr.create_array(store, shape=x.shape, chunks=chunks, dtype=x.dtype)
    made[...] = x
    return dt.from_zarr(store)


def _of_dask(random: Random, x: np.ndarray, chunks: Chunks) -> Any:
    return dt.from_dask_array(dask.array.from_array(x, chunks=chunks))


SOURCES: tuple[Callable[[Random, np.ndarray, Chunks], Any], ...] = (
    _memory, _memory, _memory, _fortran, _strided, _permuted, _frozen, _chunked, _stored, _of_dask,
)  # fmt: skip


def source(random: Random, x: np.ndarray, chunks: Chunks) -> tuple[str, Any]:
    """The cells of `x` as an array of this library: how they come, perhaps in chunks; the array."""
    made = random.choice(SOURCES)
    return made.__name__.strip("_"), made(random, x, chunks)
