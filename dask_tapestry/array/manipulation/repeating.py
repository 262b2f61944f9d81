"""Cells, or whole arrays, again and again; and cells moved along axes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod
from operator import index
from typing import Any

import numpy as np

from dask_tapestry.array.core.array import Array
from dask_tapestry.array.core.convert import asarray
from dask_tapestry.array.core.dispatch import implements
from dask_tapestry.array.core.shapes import lengths_of
from dask_tapestry.array.creation.filled import zeros
from dask_tapestry.array.shape.atleast import with_rank
from dask_tapestry.array.shape.reshaping import ravel, reshape
from dask_tapestry.errors import DTypeError, ShapeError
from dask_tapestry.operators.axes import normalize_axis
from dask_tapestry.operators.axis_slices import pick, runs, slice_axis
from dask_tapestry.operators.repeat import repeat as repeat_cells
from dask_tapestry.operators.repeat import tile as tile_tensor
from dask_tapestry.operators.take import take

MOST_SLICES = 64  # joined for cells that are picked; each takes a node and a copy of its own

__all__ = ["repeat", "resize", "tile"]


@implements(np.repeat)
def repeat(a: Any, repeats: Any, axis: int | None = None) -> Array:
    """Repeat each cell along an axis, or of the flattened array, as `numpy.repeat`.

    Parameters
    ----------
    repeats
        How often: one count, or one for each cell along the axis; they are looked at now.

    Raises
    ------
    ShapeError
        If a count is negative, or there are not as many as cells.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.repeat(dt.arange(3), 2).compute()
    array([0, 0, 1, 1, 2, 2])
    >>> dt.repeat(dt.arange(3), [0, 1, 3]).compute()
    array([1, 2, 2, 2])
    """
    x = ravel(a) if axis is None else with_rank(asarray(a), 1)
    number = normalize_axis(0 if axis is None else axis, x.ndim)
    counts = _counts(static(repeats, "repeats"))
    if counts.ndim > 1:
        raise ShapeError("object too deep for desired array")
    if counts.size and counts.min() < 0:
        raise ShapeError("repeats may not contain negative values.")
    if counts.size == 1:
        return Array(repeat_cells(x.node, int(counts.flat[0]), number))
    if counts.size != x.shape[number]:
        raise ShapeError(
            "operands could not be broadcast together with shape "
            f"({x.shape[number]},) ({counts.size},)"
        )
    return picked(x, np.repeat(np.arange(counts.size), counts), number)


@implements(np.tile)
def tile(A: Any, reps: int | Sequence[int]) -> Array:
    """Lay out copies of an array along its last axes, as `numpy.tile`.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.tile(dt.arange(3), (2, 2)).compute()
    array([[0, 1, 2, 0, 1, 2],
           [0, 1, 2, 0, 1, 2]])
    """
    counts = tuple(index(n) for n in reps) if isinstance(reps, Iterable) else (index(reps),)
    if any(n < 0 for n in counts):
        raise ShapeError(f"negative dimensions are not allowed: {counts} copies")
    x = with_rank(asarray(A), len(counts))
    return Array(tile_tensor(x.node, (*(1,) * (x.ndim - len(counts)), *counts)))


@implements(np.resize)
def resize(a: Any, new_shape: int | Sequence[int]) -> Array:
    """Return the cells in C order under another shape, again and again if it is larger.

    Raises
    ------
    ShapeError
        For a negative length.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.resize(dt.arange(3), (2, 4)).compute()
    array([[0, 1, 2, 0],
           [1, 2, 0, 1]])
    """
    x = ravel(a)
    shape = lengths_of(new_shape)
    if any(n < 0 for n in shape):
        raise ShapeError("all elements of `new_shape` must be non-negative")
    size = prod(shape)
    if not x.size or not size:
        return zeros(shape, x.dtype)
    times = -(-size // x.size)
    return reshape(Array(slice_axis(tile_tensor(x.node, (times,)), 0, 0, size)), shape)


def picked(x: Array, places: np.ndarray[Any, Any], axis: int) -> Array:
    """The cells at `places`, known now: a few slices joined, or a take where they are many."""
    turns = np.count_nonzero(np.diff(places, 2))  # each run but the last ends at one or two
    if turns <= 2 * MOST_SLICES and len(runs(places)) <= MOST_SLICES:
        return Array(pick(x.node, places, axis))
    return Array(take(x.node, asarray(places).node, axis))


def _counts(repeats: Any) -> np.ndarray[Any, Any]:
    """`repeats` as integers; only an array must hold such, as in NumPy."""
    counts = np.asarray(repeats)
    forced = not isinstance(repeats, np.ndarray) and counts.dtype.kind in "fm"
    if not (forced or np.can_cast(counts.dtype, np.int64, "safe")):
        raise DTypeError(f"cannot cast repeats from {counts.dtype} to int64 by the rule 'safe'")
    return counts.astype(np.int64)


def static(values: Any, name: str) -> Any:
    """`values`, which are looked at while the expression is built.

    Raises
    ------
    DTypeError
        For an array of ours: its cells are not known yet.
    """
    if isinstance(values, Array):
        raise DTypeError(f"{name} must be known now: compute() them first")
    return values
