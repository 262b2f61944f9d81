"""Where the arrays of random programs come from: memory in any layout, stores, other libraries."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import dask.array
import numpy as np
import zarr

import dask_tapestry as dt


def _sides(random: Random, x: np.ndarray) -> tuple[int, ...]:
    return tuple(random.randint(1, max(1, n)) for n in x.shape)


def _memory(random: Random, x: np.ndarray) -> Any:
    return dt.asarray(x)


def _fortran(random: Random, x: np.ndarray) -> Any:
    return dt.asarray(x.copy("F"))


def _strided(random: Random, x: np.ndarray) -> Any:
    """Every second or third cell of a larger array, some axes of it backwards."""
    steps = [random.choice([1, 2, 3, -1, -2]) for _ in x.shape]
    larger = np.zeros([n * abs(s) for n, s in zip(x.shape, steps, strict=True)], x.dtype)
    view = larger[(*(slice(None, None, s) for s in steps), ...)]
    view[...] = x
    assert view.shape == x.shape
    return dt.asarray(view)


def _permuted(random: Random, x: np.ndarray) -> Any:
    order = random.sample(range(x.ndim), x.ndim)
    return dt.asarray(x.transpose(order).copy("C").transpose(np.argsort(order)))


def _frozen(random: Random, x: np.ndarray) -> Any:
    frozen = x.copy()
    frozen.flags.writeable = False
    return dt.asarray(frozen)


def _chunked(random: Random, x: np.ndarray) -> Any:
    return dt.from_array(x, chunks=_sides(random, x))


def _stored(random: Random, x: np.ndarray) -> Any:
    store = zarr.storage.MemoryStore()
    made = zarr.create_array(store, shape=x.shape, chunks=_sides(random, x), dtype=x.dtype)
    made[...] = x
    return dt.from_zarr(store)


def _of_dask(random: Random, x: np.ndarray) -> Any:
    return dt.from_dask_array(dask.array.from_array(x, chunks=_sides(random, x)))


SOURCES: tuple[Callable[[Random, np.ndarray], Any], ...] = (
    _memory, _memory, _memory, _fortran, _strided, _permuted, _frozen, _chunked, _stored, _of_dask,
)  # fmt: skip


def source(random: Random, x: np.ndarray) -> tuple[str, Any]:
    """The cells of `x` as an array of this library: how they come, and the array."""
    made = random.choice(SOURCES)
    return made.__name__.strip("_"), made(random, x)
