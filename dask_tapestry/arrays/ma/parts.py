"""Parts of whatever may be masked, its cells and its mask: ours, NumPy's, plain arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.amounts import reading
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.masked import Masked
from dask_tapestry.arrays.elementwise.ufunc_functions import FUNCTIONS
from dask_tapestry.arrays.elementwise.where_and_clip import where
from dask_tapestry.arrays.shape import broadcast_to
from dask_tapestry.errors import ArgumentError, DTypeError
from dask_tapestry.io.sources.coerce import unwrap_xarray

Part = Array | None


def call(name: str, *operands: Any) -> Array:
    """The result of a ufunc of plain arrays."""
    made: Array = FUNCTIONS[name](*operands)
    return made


def _held(x: Any) -> Any:
    """A masked array that an object of xarray's holds; anything else as it is."""
    found = unwrap_xarray(x)
    return found[0] if found is not None and isinstance(found[0], Masked) else x


def cells_of(x: ArrayLike | Masked) -> Array:
    """The cells, those that a mask hides too."""
    x = _held(x)
    if isinstance(x, Masked):
        return x.cells
    if isinstance(x, np.ma.MaskedArray):
        return asarray(x.data)
    return asarray(x)


def mask_of(x: ArrayLike | Masked) -> Part:
    """The mask; None where there is none.

    {Raises} DTypeError: For a mask of fields.
    """
    x = _held(x)
    if isinstance(x, Masked):
        return x.hidden
    if isinstance(x, np.ma.MaskedArray) and x.mask is not np.ma.nomask:
        if x.mask.dtype.names is not None:
            raise DTypeError("a mask for each field is not supported: mask the fields one by one")
        return asarray(x.mask)
    return None


def fill_of(x: ArrayLike | Masked) -> Any:
    """What the user said that hidden cells are filled with, or None."""
    x = _held(x)
    if isinstance(x, Masked):
        return x.fill
    if isinstance(x, np.ma.MaskedArray) and x is not np.ma.masked:
        told = x.view().fill_value  # of a view: NumPy keeps what it is asked for the first time
        return None if told == np.ma.default_fill_value(x) else told
    return None


def checked_fill(fill: Any, dtype: np.dtype[Any]) -> Any:
    """What hidden cells are filled with, as `numpy.ma` has it for cells of `dtype`.

    For None it is NumPy's default, which need not be of this dtype.

    {Raises}
        ArgumentError: If it is no scalar.
        DTypeError: If it has no value as a cell of this dtype.
    """
    with reading("fill_value"):
        several = np.ndim(fill)
    if several:
        raise ArgumentError(f"a fill value is a scalar, not an array of shape {np.shape(fill)}")
    try:
        holder = np.ma.MaskedArray(np.empty(0, dtype), fill_value=fill)
        return holder.fill_value
    except (TypeError, ValueError) as error:
        raise DTypeError(f"fill value {fill!r} for cells of {dtype}: {error}") from None


def combined_mask(*masks: Part) -> Part:
    """The mask of what any of several masks hides."""
    given = [mask for mask in masks if mask is not None]
    found: Part = given[0] if given else None
    for mask in given[1:]:
        found = call("logical_or", found, mask)
    return found


def spread(mask: Part, shape: tuple[int, ...]) -> Part:
    """A mask broadcast to a shape."""
    return mask if mask is None or mask.shape == shape else broadcast_to(mask, shape)


def chosen(mask: Part, hidden: Any, cells: Array) -> Array:
    """`hidden` where a mask is true, `cells` elsewhere, in their dtype."""
    if mask is None:
        return cells
    if not isinstance(hidden, Array):
        with reading("fill_value"):
            hidden = asarray(np.asarray(hidden).astype(cells.dtype))
    return where(mask, hidden.astype(cells.dtype), cells)


def fitting_fill(fill: Any, dtype: np.dtype[Any]) -> Any:
    """A fill value as a cell of `dtype`; None, for the default, if it has no value there."""
    try:
        return None if fill is None else checked_fill(fill, dtype)
    except DTypeError:
        return None
