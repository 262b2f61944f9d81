"""Functions of masked arrays: their parts, what is hidden in them, choices."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.axis_names import names_axes
from dask_tapestry.arrays.core.declared_arguments import checked_as
from dask_tapestry.arrays.elementwise import where as choose
from dask_tapestry.arrays.ma import masked_array as class_module
from dask_tapestry.arrays.ma.mask_creation import asarray
from dask_tapestry.arrays.ma.masked_array import MaskedArray
from dask_tapestry.arrays.ma.parts import cells_of, combined_mask, mask_of, spread
from dask_tapestry.errors import ArgumentError
from dask_tapestry.operators.axes import Axes

__all__ = [
    "compressed",
    "count",
    "filled",
    "getdata",
    "getmask",
    "getmaskarray",
    "is_masked",
    "nonzero",
    "set_fill_value",
    "where",
]


@checked_as(np.ma.getdata)
def getdata(a: ArrayLike | MaskedArray, subok: bool = True) -> Array:  # noqa: ARG001
    """Return all cells, those that a mask hides too.

    {Parameters}
        {a.array}
        subok: As NumPy's, without meaning here.
    {Returns} Array: Of the shape and dtype of `a`.
    {See Also} getmaskarray, numpy.ma.getdata
    {Examples}
    >>> dt.ma.getdata(dt.ma.masked_array([1, 2], [0, 1])).compute()
    array([1, 2])
    """
    return cells_of(a)


def getmask(a: ArrayLike | MaskedArray) -> Any:
    """Return the mask of an array, or `numpy.ma.nomask` if it has none.

    {Parameters} {a.array}
    {Returns} Array or numpy.bool: Of the shape of `a`.
    {See Also} getmaskarray, numpy.ma.getmask
    {Examples}
    >>> dt.ma.getmask(dt.ones(2))
    np.False_
    """
    return asarray(a).mask


def getmaskarray(arr: ArrayLike | MaskedArray) -> Array:
    """Return the mask of an array; of false throughout if it has none.

    {Parameters} {arr}
    {Returns} Array: Bool, of the shape of `arr`.
    {See Also} getmask, numpy.ma.getmaskarray
    {Examples}
    >>> dt.ma.getmaskarray(dt.ma.masked_array([1, 2], [0, 1])).compute()
    array([False,  True])
    """
    return asarray(arr)._mask_cells()


def filled(a: ArrayLike | MaskedArray, fill_value: Any = None) -> Array:
    """Return the cells with a value in place of hidden ones.

    {Parameters}
        {a.array}
        fill_value: The value; by default that of `a`.
    {Returns} Array: Of the shape and dtype of `a`.
    {See Also} numpy.ma.filled
    {Examples}
    >>> dt.ma.filled(dt.ma.masked_array([1, 2], [0, 1]), 7).compute()
    array([1, 7])
    """
    return asarray(a).filled(fill_value)


def compressed(x: ArrayLike | MaskedArray) -> Array:
    """Return the cells that are not hidden, in one dimension.

    {Parameters} {x}
    {Returns} Array: Its cells are counted when its shape is asked.
    {See Also} numpy.ma.compressed
    {Examples}
    >>> dt.ma.compressed(dt.ma.masked_array([1, 2, 3], [0, 1, 0])).compute()
    array([1, 3])
    """
    return asarray(x).compressed()


def is_masked(x: ArrayLike | MaskedArray) -> bool:
    """Return whether any cell is hidden; computes the mask.

    {Parameters} {x}
    {Returns} bool: False if there is no mask.
    {See Also} numpy.ma.is_masked
    {Examples}
    >>> dt.ma.is_masked(dt.ma.masked_array([1, 2], [0, 1]))
    True
    """
    mask = mask_of(x)
    return mask is not None and bool(mask.any())


def set_fill_value(a: ArrayLike | MaskedArray, fill_value: Any) -> None:
    """Set what `filled` puts in place of hidden cells; of plain arrays nothing.

    {Parameters}
        a: The masked array, which changes.
        fill_value: The value; None for NumPy's.
    {Raises}
        ArgumentError: If it is no scalar.
        DTypeError: If it has no value in the dtype of `a`.
    {See Also} numpy.ma.set_fill_value
    {Examples}
    >>> x = dt.ma.masked_array([1, 2], [0, 1])
    >>> dt.ma.set_fill_value(x, 9)
    >>> x.filled().compute()
    array([1, 9])
    """
    if isinstance(a, MaskedArray):
        a.fill_value = fill_value


@names_axes
def count(a: ArrayLike | MaskedArray, axis: Axes = None, keepdims: bool = False) -> Array:
    """Count the cells along `axis` that are not hidden.

    {Parameters} {a.array, axis.all, keepdims}
    {Returns} Array: Of dtype intp.
    {See Also} numpy.ma.count
    {Examples}
    >>> int(dt.ma.count(dt.ma.masked_array([1, 2, 3], [0, 1, 0])))
    2
    """
    return asarray(a).count(axis, keepdims)


def nonzero(a: ArrayLike | MaskedArray) -> tuple[Array, ...]:
    """Return the places of cells that are neither hidden nor zero.

    {Parameters} {a.array}
    {Returns} tuple of Array: One for each dimension.
    {See Also} numpy.ma.nonzero
    {Examples}
    >>> dt.ma.nonzero(dt.ma.masked_array([0, 2, 3], [0, 1, 0]))[0].compute()
    array([2])
    """
    return asarray(a).nonzero()


def where(condition: Any, x: Any = None, y: Any = None) -> Any:
    """Choose cells of `x` where a condition is true, of `y` elsewhere; hidden where it is hidden.

    {Parameters}
        condition: True where `x` is chosen.
        x, y: What is chosen from, with their masks; `numpy.ma.masked` hides. Both, or neither: then
            `nonzero` of the condition.
    {Returns} MaskedArray or tuple of Array: Of the broadcast shape.
    {Raises} ArgumentError: If one of `x` and `y` is given alone.
    {See Also} masked_where, numpy.ma.where

    Examples
    --------
    >>> import numpy as np, dask_tapestry as dt
    >>> dt.ma.where(dt.arange(3) > 1, np.ma.masked, 5).compute().tolist()
    [5, 5, None]
    """
    if (x is None) != (y is None):
        raise ArgumentError("either both or neither of x and y should be given")
    if x is None:
        return nonzero(condition)
    told = asarray(condition).filled(False)
    first, second = _operand_cells(x, y), _operand_cells(y, x)
    made = choose(told, first, second)
    masks = [np.False_ if (mask := mask_of(one)) is None else mask for one in (x, y)]
    hidden = combined_mask(choose(told, masks[0], masks[1]), mask_of(condition))
    return MaskedArray(made, spread(hidden, made.shape))


def _operand_cells(one: Any, other: Any) -> Array:
    """The cells of `one`; of `numpy.ma.masked` a cell of the dtype of `other`."""
    return cells_of(np.zeros((), cells_of(other).dtype) if one is np.ma.masked else one)


class_module.FUNCTIONS["where"] = where
