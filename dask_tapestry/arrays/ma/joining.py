"""Masked arrays joined along an axis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dask_tapestry.amounts import integer, listed
from dask_tapestry.arrays import manipulation
from dask_tapestry.arrays.core.axis_names import names_axes
from dask_tapestry.arrays.ma import masked_array as class_module
from dask_tapestry.arrays.ma.mask_creation import asarray
from dask_tapestry.arrays.ma.masked_array import MaskedArray

__all__ = ["concatenate", "stack"]


@names_axes
def concatenate(arrays: Sequence[Any], axis: int = 0) -> MaskedArray:
    """Join arrays, and their masks, along an axis.

    {Parameters}
        arrays: Masked arrays and plain ones.
        axis: Along which they follow each other.
    {Returns} MaskedArray: Without a mask if none has one.
    {See Also} stack, numpy.ma.concatenate
    {Examples}
    >>> dt.ma.concatenate([dt.ma.masked_array([1], [1]), [2]]).compute().tolist()
    [None, 2]
    """
    return _joined(manipulation.concatenate, arrays, axis)


def stack(arrays: Sequence[Any], axis: int = 0) -> MaskedArray:
    """Put arrays, and their masks, one behind the other along a new axis.

    {Parameters}
        arrays: Masked arrays and plain ones, of one shape.
        axis: Where the new axis is.
    {Returns} MaskedArray: Without a mask if none has one.
    {See Also} concatenate, numpy.ma.stack
    {Examples}
    >>> dt.ma.stack([dt.ma.masked_array([1], [1]), [2]]).compute().tolist()
    [[None], [2]]
    """
    return _joined(manipulation.stack, arrays, axis)


def _joined(join: Any, arrays: Sequence[Any], axis: int | None) -> MaskedArray:
    parts = [asarray(one) for one in listed(arrays, "arrays")]
    axis = axis if axis is None else integer(axis)  # a masked array there would come back here
    made = join([part.cells for part in parts], axis)
    hidden = None
    if any(part.hidden is not None for part in parts):
        hidden = join([part._mask_cells() for part in parts], axis)
    return MaskedArray(made, hidden)


class_module.FUNCTIONS.update(concatenate=concatenate, stack=stack)
