"""Masked arrays of cells and a mask, or like another one."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.ma import masked, nomask
from numpy.typing import ArrayLike, DTypeLike

from dask_tapestry.arrays import creation
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import from_array
from dask_tapestry.arrays.core.declared_arguments import checked_as
from dask_tapestry.arrays.core.masked import FROM_NUMPY
from dask_tapestry.arrays.core.memory_arguments import check_order
from dask_tapestry.arrays.ma.masked_array import MaskedArray
from dask_tapestry.arrays.ma.parts import (
    cells_of,
    checked_fill,
    combined_mask,
    fill_of,
    mask_of,
    spread,
)
from dask_tapestry.arrays.shape.atleast import checked_rank
from dask_tapestry.errors import ArgumentError

__all__ = [
    "array",
    "asanyarray",
    "asarray",
    "empty_like",
    "masked",
    "masked_array",
    "nomask",
    "ones_like",
    "zeros_like",
]


@checked_as(np.ma.masked_array)
def masked_array(
    data: ArrayLike | MaskedArray,
    mask: Any = None,
    dtype: DTypeLike | None = None,
    copy: bool = False,
    subok: bool = True,  # noqa: ARG001
    ndmin: int = 0,
    fill_value: Any = None,
    keep_mask: bool = True,
    hard_mask: bool | None = None,
    shrink: bool = True,  # noqa: ARG001
    order: str | None = None,
    *,
    chunks: Any = None,
) -> MaskedArray:
    """Return a lazy masked array of cells and a mask, as `numpy.ma.masked_array`.

    {Parameters}
        data: The cells: an array, NumPy's masked arrays, or a masked array.
        mask: True where a cell is hidden: an array of the shape of `data`, or one cell for all. By
            default that of `data`.
        {dtype.converted}
        copy: Whether to copy an array in memory now.
        subok, shrink, order: As NumPy's, without meaning here: a mask stays whole, even if it hides
            nothing.
        ndmin: Dimensions that there are at least; new ones come first.
        fill_value: What `filled` puts in place of hidden cells; by default that of `data`, or
            NumPy's.
        keep_mask: Whether the mask of `data` hides cells too where another one is given.
        hard_mask: False: an assignment shows what it writes.
        chunks: Nominal chunks.
    {Returns} MaskedArray: Of the shape of `data`.
    {Raises}
        ShapeError: If the mask does not fit the cells.
        ArgumentError: For a hard mask.
    {See Also} masked_where, numpy.ma.masked_array
    {Examples}
    >>> dt.ma.masked_array([1, 2, 3], mask=[0, 1, 0]).sum().compute()
    np.int64(4)
    """
    check_order(order)
    if hard_mask:
        raise ArgumentError(
            "hard masks are not supported: an assignment unmasks the cells that it writes"
        )
    cells = _chunked(cells_of(np.array(data) if copy and _is_list(data) else data), chunks)
    cells = cells.copy() if dtype is None else cells.astype(dtype)
    own, told = mask_of(data), None
    if mask is not None and mask is not nomask:
        told = _broadcast_mask(cells_of(mask).astype(bool), cells)
    hidden = combined_mask(own, told) if keep_mask or told is None else told
    if checked_rank(ndmin) > cells.ndim:
        sides = (*(1,) * (ndmin - cells.ndim), *cells.shape)
        cells, hidden = cells.reshape(sides), None if hidden is None else hidden.reshape(sides)
    fill = fill_of(data) if fill_value is None else checked_fill(fill_value, cells.dtype)
    return MaskedArray(cells, hidden, fill)


@checked_as(np.ma.array)
def array(
    data: ArrayLike | MaskedArray,
    dtype: DTypeLike | None = None,
    copy: bool = False,
    order: str | None = None,
    mask: Any = None,
    fill_value: Any = None,
    keep_mask: bool = True,
    hard_mask: bool | None = None,
    shrink: bool = True,
    subok: bool = True,
    ndmin: int = 0,
    *,
    chunks: Any = None,
) -> MaskedArray:
    """Return a lazy masked array, as `numpy.ma.array`: `masked_array` with arguments in its order.

    Parameters
    ----------
    data, dtype, copy, order, mask, fill_value, keep_mask, hard_mask, shrink, subok, ndmin, chunks
        As of `masked_array`.

    {Returns} MaskedArray: Of the shape of `data`.
    {Raises} ShapeError: If the mask has another shape.
    {See Also} masked_array, numpy.ma.array
    {Examples}
    >>> dt.ma.array([1, 2], "f4", mask=[0, 1]).sum().compute()
    np.float32(1.0)
    """
    return masked_array(
        data,
        mask,
        dtype,
        copy,
        subok,
        ndmin,
        fill_value,
        keep_mask,
        hard_mask,
        shrink,
        order,
        chunks=chunks,
    )


def _is_list(data: object) -> bool:
    return isinstance(data, list | tuple | np.ndarray)


def _chunked(cells: Array, chunks: Any) -> Array:
    return cells if chunks is None else from_array(cells, chunks)


def _broadcast_mask(mask: Array, cells: Array) -> Array | None:
    """A mask in the shape of the cells; of one cell for all."""
    if mask.size == 1:
        return spread(mask.reshape(()), cells.shape)
    if mask.size != cells.size:
        from dask_tapestry.arrays.ma.mask_error import MaskError  # noqa: PLC0415  (of `numpy.ma`)

        raise MaskError(
            f"Mask and data not compatible: data size is {cells.size}, mask size is {mask.size}."
        )
    return mask.reshape(cells.shape)


def asarray(a: ArrayLike | MaskedArray, dtype: DTypeLike | None = None) -> MaskedArray:
    """Return `a` as a masked array; without a mask if it has none.

    {Parameters}
        a: An array, NumPy's masked arrays, or a masked array, which is returned itself.
        {dtype.converted}
    {Returns} MaskedArray: Of the shape of `a`.
    {See Also} masked_array, numpy.ma.asarray
    {Examples}
    >>> dt.ma.asarray([1, 2]).mask
    np.False_
    """
    if dtype is None and isinstance(a, MaskedArray):
        return a
    return masked_array(a, dtype=dtype)


asanyarray = asarray


def _from_numpy(x: Any, chunks: Any) -> MaskedArray:
    return masked_array(x, chunks=chunks)


FROM_NUMPY["masked"] = _from_numpy


def _with_mask_of(make: Any, a: ArrayLike | MaskedArray, **kwargs: Any) -> MaskedArray:
    """New cells under the mask of `a`."""
    made = make(cells_of(a), **kwargs)
    mask = mask_of(a)
    return MaskedArray(made, mask if mask is None or mask.shape == made.shape else None, fill_of(a))


def empty_like(prototype: ArrayLike | MaskedArray, **kwargs: Any) -> MaskedArray:
    """Return cells of zero, of the shape, dtype and mask of `prototype`.

    {Parameters}
        prototype: The masked array.
        **kwargs: For `dask_tapestry.empty_like`, such as ``dtype``.
    {Returns} MaskedArray: Of the shape of `prototype`.
    {See Also} zeros_like, numpy.ma.empty_like
    {Examples}
    >>> dt.ma.empty_like(dt.ma.masked_array([1, 2], [0, 1])).shape
    (2,)
    """
    return _with_mask_of(creation.empty_like, prototype, **kwargs)


def ones_like(a: ArrayLike | MaskedArray, **kwargs: Any) -> MaskedArray:
    """Return cells of one, of the shape, dtype and mask of `a`.

    {Parameters}
        a: The masked array.
        **kwargs: For `dask_tapestry.ones_like`, such as ``dtype``.
    {Returns} MaskedArray: Of the shape of `a`.
    {See Also} zeros_like, numpy.ma.ones_like
    {Examples}
    >>> dt.ma.ones_like(dt.ma.masked_array([5, 6], [0, 1])).sum().compute()
    np.int64(1)
    """
    return _with_mask_of(creation.ones_like, a, **kwargs)


def zeros_like(a: ArrayLike | MaskedArray, **kwargs: Any) -> MaskedArray:
    """Return cells of zero, of the shape, dtype and mask of `a`.

    {Parameters}
        a: The masked array.
        **kwargs: For `dask_tapestry.zeros_like`, such as ``dtype``.
    {Returns} MaskedArray: Of the shape of `a`.
    {See Also} ones_like, numpy.ma.zeros_like
    {Examples}
    >>> dt.ma.zeros_like(dt.ma.masked_array([5, 6], [0, 1])).filled(3).compute()
    array([0, 3])
    """
    return _with_mask_of(creation.zeros_like, a, **kwargs)
