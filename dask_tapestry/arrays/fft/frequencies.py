"""Frequencies of the cells of a transform, and zero frequency moved to the middle."""

from __future__ import annotations

from collections import Counter

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from dask_tapestry.amounts import integer, reading
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.chunks import Chunks
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.dispatch import implements
from dask_tapestry.arrays.core.dtypes import as_dtype
from dask_tapestry.arrays.core.layout_arguments import with_chunks
from dask_tapestry.arrays.core.memory_arguments import new_on
from dask_tapestry.arrays.elementwise.where_and_clip import astype
from dask_tapestry.errors import DTypeError, ShapeError
from dask_tapestry.operators.axes import Axes, each_axis, normalize_axis
from dask_tapestry.operators.generators.coordinates import coordinates
from dask_tapestry.operators.joins.roll import roll
from dask_tapestry.operators.layouts.nominal_chunks import with_nominal_chunks
from dask_tapestry.teg.nominal import nominal_chunks

__all__ = ["fftfreq", "fftshift", "ifftshift", "rfftfreq"]


def fftfreq(
    n: int,
    d: float = 1.0,
    chunks: Chunks = None,
    *,
    dtype: DTypeLike | None = None,
    device: str | None = None,
) -> Array:
    """Return the frequency of each cell that `fft` yields, as `numpy.fft.fftfreq`, bit for bit.

    {Parameters}
        n: Cells of a lane.
        d: Time from cell to cell.
        {chunks}
        dtype: A real floating dtype; by default float64.
        {device}
    {Returns} Array: Shape ``(n,)``, in cycles per unit of `d`: zero, the positive ones, the
        negative ones.
    {Raises}
        ShapeError: If `n` is less than one.
        {DTypeError.n}
    {See Also} rfftfreq, fftshift
    {Examples}
    >>> dt.fft.fftfreq(4, 0.5).compute()
    array([ 0. ,  0.5, -1. , -0.5])
    """
    count, unit = _parts(n, d)
    half = count // 2
    numbers = (Array(coordinates((count,), 0)) + half) % count - half
    return _scaled(numbers, unit, dtype, chunks, device)


def rfftfreq(
    n: int,
    d: float = 1.0,
    chunks: Chunks = None,
    *,
    dtype: DTypeLike | None = None,
    device: str | None = None,
) -> Array:
    """Return the frequency of each cell that `rfft` yields, as `numpy.fft.rfftfreq`, bit for bit.

    {Parameters} n, d, chunks, dtype, device: As of `fftfreq`.
    {Returns} Array: Shape ``(n // 2 + 1,)``, ascending from zero.
    {Raises}
        ShapeError: If `n` is less than one.
        {DTypeError.n}
    {See Also} fftfreq
    {Examples}
    >>> dt.fft.rfftfreq(4, 0.5).compute()
    array([0. , 0.5, 1. ])
    """
    count, unit = _parts(n, d)
    return _scaled(Array(coordinates((count // 2 + 1,), 0)), unit, dtype, chunks, device)


def _parts(n: int, d: float) -> tuple[int, float]:
    """Cells of a lane, and the distance of two frequencies."""
    try:
        count = integer(n)
    except TypeError:
        raise DTypeError(f"n should be an integer, not {n!r}") from None
    if count < 1:
        raise ShapeError(f"n must be at least 1, not {count}")
    with reading("d"):
        return count, 1.0 / (count * d)


def _scaled(
    numbers: Array, unit: float, dtype: DTypeLike | None, chunks: Chunks, device: str | None
) -> Array:
    kind = np.dtype(np.float64) if dtype is None else as_dtype(dtype)
    if kind.kind != "f":
        raise DTypeError(f"frequencies need a real floating dtype, not {kind}")
    return with_chunks(new_on(astype(numbers * unit, kind), device), chunks)


@implements(np.fft.fftshift)
def fftshift(x: ArrayLike, axes: Axes = None) -> Array:
    """Move the cell of zero frequency to the middle of axes, as `numpy.fft.fftshift`.

    {Parameters}
        {x}
        axes: One or several; by default all.
    {Returns} Array: Shape and dtype of `x`.
    {Raises} AxisError: If an axis does not exist.
    {See Also} ifftshift, fftfreq
    {Examples}
    >>> dt.fft.fftshift(dt.fft.fftfreq(4)).compute()
    array([-0.5 , -0.25,  0.  ,  0.25])
    """
    return _shifted(x, axes, 1)


@implements(np.fft.ifftshift)
def ifftshift(x: ArrayLike, axes: Axes = None) -> Array:
    """Move the cell in the middle of axes to their start: the inverse of `fftshift`.

    {Parameters}
        {x}
        axes: One or several; by default all.
    {Returns} Array: Shape and dtype of `x`.
    {Raises} AxisError: If an axis does not exist.
    {See Also} fftshift
    {Examples}
    >>> dt.fft.ifftshift(dt.asarray([-1, 0, 1])).compute()
    array([ 0,  1, -1])
    """
    return _shifted(x, axes, -1)


def _shifted(x: ArrayLike, axes: Axes, direction: int) -> Array:
    node = asarray(x).node
    rank, shape = node.type.ndim, node.type.shape
    given = range(rank) if axes is None else each_axis(axes)
    numbers = Counter(normalize_axis(axis, rank) for axis in given)  # one may be there twice
    moved = roll(node, {a: direction * (shape[a] // 2) * n for a, n in numbers.items()})
    chunks = nominal_chunks(node)
    if not any(one.said for one in chunks):
        return Array(moved)
    return Array(with_nominal_chunks(moved, tuple(one.cuts for one in chunks)))
