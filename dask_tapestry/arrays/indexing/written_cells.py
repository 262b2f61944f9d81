"""Functions that write cells: `copyto`, `put`, `putmask`, `place` and `fill_diagonal`.

Arrays are values: the array takes a new one, and what was made of it before keeps the old.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.casts import cast
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.dispatch import implements
from dask_tapestry.arrays.core.dtypes import Casting
from dask_tapestry.arrays.creation.ranges import arange
from dask_tapestry.arrays.elementwise.where_and_clip import where
from dask_tapestry.arrays.indexing.setitem import setitem
from dask_tapestry.arrays.indexing.take import Mode, places_within, take
from dask_tapestry.errors import ArgumentError, DTypeError, IndexingError, ShapeError
from dask_tapestry.operators.scans.scan import scan
from dask_tapestry.operators.views.broadcast import broadcast

__all__ = ["copyto", "fill_diagonal", "place", "put", "putmask"]


@implements(np.copyto)
def copyto(
    dst: Array, src: ArrayLike, casting: Casting = "same_kind", where: ArrayLike = True
) -> None:
    """Write the cells of one array into another, as `numpy.copyto`.

    {Parameters}
        dst: The array that takes them.
        src: The cells, which broadcast to its shape.
        casting: What conversions to its dtype are allowed, by a rule of NumPy's.
        where: Where they are written; it broadcasts to the shape too.
    {Raises}
        DTypeError: If `dst` is no `Array`, or `casting` forbids the conversion.
        ShapeError: If shapes do not broadcast.
    {See Also} putmask, where
    {Examples}
    >>> x = dt.zeros(3)
    >>> dt.copyto(x, [1, 2, 3], where=[True, False, True])
    >>> x.compute()
    array([1., 0., 3.])
    """
    target = _target(dst, "copyto")
    _check_cast(src, target.dtype, casting)
    mask = asarray(where).astype(bool, casting="safe")
    if not mask.ndim and bool(mask):
        setitem(target, ..., src)
    else:
        cells = broadcast(asarray(src).node, target.shape)
        setitem(target, ..., _chosen(mask, Array(cells), target))


@implements(np.putmask)
def putmask(a: Array, /, mask: ArrayLike, values: ArrayLike) -> None:
    """Write values where a mask is true, as `numpy.putmask`: cell n takes value n.

    {Parameters}
        a: The array that takes them.
        mask: As many cells as it has.
        values: As many values, or fewer, which are repeated; none writes nothing.
    {Raises}
        DTypeError: If `a` is no `Array`, or `values` are not cast safely to its dtype.
        ShapeError: If the mask has another number of cells.
    {See Also} place, put, copyto
    {Examples}
    >>> x = dt.arange(6)
    >>> dt.putmask(x, x > 2, [-33, -44])
    >>> x.compute()
    array([  0,   1,   2, -44, -33, -44])
    """
    target = _target(a, "putmask")
    chosen, cells = _mask_like(mask, target, "putmask"), _row(values, target, "safe")
    if cells.size and target.size:
        setitem(target, ..., _chosen(chosen, _repeated(cells, target), target))


@implements(np.place)
def place(arr: Array, mask: ArrayLike, vals: ArrayLike) -> None:
    """Write values into the true cells of a mask, as `numpy.place`: true cell n takes value n.

    {Parameters}
        arr: The array that takes them.
        mask: As many cells as it has.
        vals: The values in order, which are repeated if there are fewer.
    {Raises}
        ArgumentError: If there is no value.
        DTypeError: If `arr` is no `Array`, or `vals` are not cast safely to its dtype.
        ShapeError: If the mask has another number of cells.
    {See Also} putmask, extract
    {Examples}
    >>> x = dt.arange(6)
    >>> dt.place(x, x > 2, [44, 55])
    >>> x.compute()
    array([ 0,  1,  2, 44, 55, 44])
    """
    target = _target(arr, "place")
    chosen, cells = _mask_like(mask, target, "place"), _row(vals, target, "safe")
    if not target.size:
        return
    if not cells.size:
        if bool(chosen.any()):
            raise ArgumentError("Cannot insert from an empty array!")
        return
    if cells.size == 1:
        values = cells[0]
    else:
        number = (Array(scan(chosen.ravel().node, "add", 0)) - 1) % cells.size
        values = take(cells, number, mode="wrap").reshape(target.shape)
    setitem(target, ..., _chosen(chosen, values, target))


@implements(np.put)
def put(a: Array, ind: ArrayLike, v: ArrayLike, mode: Mode = "raise") -> None:
    """Write values at places of the flattened array, as `numpy.put`; the last for a place stays.

    {Parameters}
        a: The array that takes them.
        ind: Places in C order, of any shape; negative ones count from the end.
        v: A value for each place; fewer are repeated, none write nothing.
        mode: What a place out of bounds means: ``"raise"`` an error, ``"wrap"`` around, or
            ``"clip"`` to the nearest one.
    {Raises}
        DTypeError: If `a` is no `Array`, or places are no integers.
        IndexingError: For a known place that is out of bounds.
        ArgumentError: For an unknown mode.
    {See Also} take, putmask, put_along_axis
    {Examples}
    >>> x = dt.arange(5)
    >>> dt.put(x, [0, 2], [-44, -55])
    >>> x.compute()
    array([-44,   1, -55,   3,   4])
    """
    target = _target(a, "put")
    at, cells = places_within(ind, target.size, mode).ravel(), _row(v, target, "unsafe")
    if at.size and not target.size:
        raise IndexingError("cannot replace elements of an empty array")
    if at.size and cells.size:
        flat = target.ravel()
        setitem(flat, at, _repeated(cells, at))
        setitem(target, ..., flat.reshape(target.shape))


@implements(np.fill_diagonal)
def fill_diagonal(a: Array, val: ArrayLike, wrap: bool = False) -> None:
    """Write the cells whose indices are all equal, as `numpy.fill_diagonal`.

    {Parameters}
        a: The array that takes them, of two dimensions or of equal ones.
        val: A value, or several, which follow each other along the diagonal and are repeated.
        wrap: Whether the diagonal of a tall matrix begins again, a row below its end.
    {Raises}
        DTypeError: If `a` is no `Array`.
        ShapeError: If it has less than two dimensions, or more, which differ.
    {See Also} eye, diagonal, diag_indices
    {Examples}
    >>> x = dt.zeros((3, 3), int)
    >>> dt.fill_diagonal(x, [4, 5, 6])
    >>> x.compute()
    array([[4, 0, 0],
           [0, 5, 0],
           [0, 0, 6]])
    """
    target = _target(a, "fill_diagonal")
    if target.ndim < 2:
        raise ShapeError("array must be at least 2-d")
    if target.ndim > 2 and len(set(target.shape)) > 1:
        raise ShapeError("All dimensions of input must be of equal length")
    rows, columns = target.shape[:2]
    first = arange(rows).reshape(-1, *(1,) * (target.ndim - 1))
    period = columns + 1 if target.ndim == 2 and columns else max(rows, 1)
    place = first % period if wrap else first
    others = [_along(arange(columns), axis, target.ndim) for axis in range(1, target.ndim)]
    mask: Any = place == others[0]
    for other in others[1:]:
        mask = mask & (place == other)
    cells = _row(val, target, "unsafe")
    if not cells.size:
        raise ArgumentError("Cannot fill a diagonal from an empty array")
    if cells.size == 1:
        values = cells[0]
    else:  # the wrapped diagonal leaves out a row after each turn
        number = first - first // period if wrap else first
        values = take(cells, number % cells.size)
    setitem(target, ..., _chosen(mask, values, target))


def fill(self: Array, value: ArrayLike) -> None:
    """Write one value into all cells.

    {Parameters} value: A scalar, which is converted to the array's dtype.
    {Raises} ShapeError: For anything but a scalar.
    {See Also} dask_tapestry.full_like, dask_tapestry.copyto
    """
    if np.ndim(value):
        raise ShapeError("setting an array element with a sequence.")
    setitem(self, ..., value)


def _target(a: object, name: str) -> Array:
    if not isinstance(a, Array):
        raise DTypeError(
            f"numpy.{name} writes to its first argument now, which is {type(a).__name__} and no "
            "Array of dask_tapestry: write x = dt.asarray(x) first, or compute() the others"
        )
    return a


def _check_cast(values: ArrayLike, dtype: np.dtype[Any], casting: Casting) -> None:
    """Refuse a conversion that a rule forbids; a Python number counts as its kind alone."""
    if isinstance(values, Array | np.ndarray | np.generic):
        if np.can_cast(values.dtype, dtype, casting):
            return
        kind = str(values.dtype)
    else:
        try:
            np.copyto(np.empty(np.shape(values), dtype), values, casting)
        except TypeError as error:
            raise DTypeError(str(error)) from None
        return
    raise DTypeError(f"Cannot cast array data from {kind} to {dtype} by the rule {casting!r}")


def _row(values: ArrayLike, target: Array, casting: Casting) -> Array:
    """Values in a row, in the dtype of the array that takes them."""
    if isinstance(values, Array | np.ndarray | np.generic):
        _check_cast(values, target.dtype, casting)
        return Array(cast(asarray(values).ravel().node, target.dtype))
    return asarray(np.array(values, target.dtype)).ravel()


def _mask_like(mask: ArrayLike, target: Array, name: str) -> Array:
    chosen = asarray(mask).astype(bool)
    if chosen.size != target.size:
        raise ShapeError(f"{name}: mask and data must be the same size")
    return chosen.reshape(target.shape)


def _repeated(cells: Array, like: Array | np.ndarray[Any, Any]) -> Array:
    """As many values as another array has cells, in its shape."""
    if cells.size == 1:
        return cells[0]
    times = -(-like.size // cells.size)
    rows = Array(broadcast(cells.node, (times, cells.size)))
    return rows.reshape(-1)[: like.size].reshape(like.shape)


def _chosen(mask: Array, values: ArrayLike, target: Array) -> Array:
    """The cells of an array, with values where a mask is true."""
    return where(mask, asarray(values).astype(target.dtype), target)


def _along(row: Array, axis: int, ndim: int) -> Array:
    """A vector along one axis of several."""
    return row.reshape(*(-1 if dim == axis else 1 for dim in range(ndim)))
