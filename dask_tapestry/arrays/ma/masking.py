"""Masked arrays by a condition on their cells: `masked_where` and what is made of it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.declared_arguments import checked_as
from dask_tapestry.arrays.elementwise.ufunc_functions import FUNCTIONS
from dask_tapestry.arrays.ma.mask_creation import asarray
from dask_tapestry.arrays.ma.masked_array import MaskedArray
from dask_tapestry.arrays.ma.parts import (
    cells_of,
    combined_mask,
    mask_of,
    spread,
)
from dask_tapestry.errors import IndexingError

__all__ = [
    "masked_equal",
    "masked_greater",
    "masked_greater_equal",
    "masked_less",
    "masked_less_equal",
    "masked_not_equal",
    "masked_where",
]


@checked_as(np.ma.masked_where)
def masked_where(
    condition: ArrayLike | MaskedArray,
    a: ArrayLike | MaskedArray,
    copy: bool = True,  # noqa: ARG001
) -> MaskedArray:
    """Hide the cells of an array where a condition is true, besides those that are hidden.

    {Parameters}
        condition: Of the shape of `a`, or one cell for all; where it is hidden itself, so is the
            cell.
        {a.array, copy}
    {Returns} MaskedArray: The cells of `a`; its mask is an array even if it hides nothing.
    {Raises} IndexingError: If the condition has another shape.
    {See Also} numpy.ma.masked_where
    {Examples}
    >>> x = dt.arange(4)
    >>> dt.ma.masked_where(x == 2, x).compute().tolist()
    [0, 1, None, 3]
    """
    x = asarray(a)
    chosen = cells_of(condition).astype(bool)
    if chosen.ndim and chosen.shape != x.shape:
        raise IndexingError(
            "Inconsistent shape between the condition and the input "
            f"(got {chosen.shape} and {x.shape})"
        )
    hidden = combined_mask(spread(chosen, x.shape), spread(mask_of(condition), x.shape), x.hidden)
    return MaskedArray(x.cells, hidden, x.fill)


def _masked_by_comparison(name: str, x: ArrayLike | MaskedArray, value: Any) -> MaskedArray:
    """`x` hidden where a comparison with `value` is true, or hidden."""
    cells = asarray(x)
    told = FUNCTIONS[name](cells.cells, cells_of(value))
    return masked_where(MaskedArray(told, spread(mask_of(value), told.shape)), cells)


@checked_as(np.ma.masked_greater)
def masked_greater(x: ArrayLike | MaskedArray, value: Any, copy: bool = True) -> MaskedArray:  # noqa: ARG001
    """Hide the cells that are greater than a value.

    {Parameters} {x, value, copy}
    {Returns} MaskedArray: The cells of `x`.
    {See Also} masked_where, numpy.ma.masked_greater
    {Examples}
    >>> dt.ma.masked_greater(dt.arange(4), 2).compute().tolist()
    [0, 1, 2, None]
    """
    return _masked_by_comparison("greater", x, value)


@checked_as(np.ma.masked_greater_equal)
def masked_greater_equal(x: ArrayLike | MaskedArray, value: Any, copy: bool = True) -> MaskedArray:  # noqa: ARG001
    """Hide the cells that are greater than or equal to a value.

    {Parameters} {x, value, copy}
    {Returns} MaskedArray: The cells of `x`.
    {See Also} masked_where, numpy.ma.masked_greater_equal
    {Examples}
    >>> dt.ma.masked_greater_equal(dt.arange(4), 2).compute().tolist()
    [0, 1, None, None]
    """
    return _masked_by_comparison("greater_equal", x, value)


@checked_as(np.ma.masked_less)
def masked_less(x: ArrayLike | MaskedArray, value: Any, copy: bool = True) -> MaskedArray:  # noqa: ARG001
    """Hide the cells that are less than a value.

    {Parameters} {x, value, copy}
    {Returns} MaskedArray: The cells of `x`.
    {See Also} masked_where, numpy.ma.masked_less
    {Examples}
    >>> dt.ma.masked_less(dt.arange(4), 2).compute().tolist()
    [None, None, 2, 3]
    """
    return _masked_by_comparison("less", x, value)


@checked_as(np.ma.masked_less_equal)
def masked_less_equal(x: ArrayLike | MaskedArray, value: Any, copy: bool = True) -> MaskedArray:  # noqa: ARG001
    """Hide the cells that are less than or equal to a value.

    {Parameters} {x, value, copy}
    {Returns} MaskedArray: The cells of `x`.
    {See Also} masked_where, numpy.ma.masked_less_equal
    {Examples}
    >>> dt.ma.masked_less_equal(dt.arange(4), 2).compute().tolist()
    [None, None, None, 3]
    """
    return _masked_by_comparison("less_equal", x, value)


@checked_as(np.ma.masked_equal)
def masked_equal(x: ArrayLike | MaskedArray, value: Any, copy: bool = True) -> MaskedArray:  # noqa: ARG001
    """Hide the cells that are equal to a value.

    {Parameters} {x, value, copy}
    {Returns} MaskedArray: The cells of `x`. The value becomes its fill value, unless it is an
        array, which may not be computed yet.
    {See Also} masked_where, numpy.ma.masked_equal
    {Examples}
    >>> dt.ma.masked_equal(dt.arange(4), 2).compute().tolist()
    [0, 1, None, 3]
    """
    made = _masked_by_comparison("equal", x, value)
    if not isinstance(value, Array) and not np.ndim(value):
        made.fill_value = value
    return made


@checked_as(np.ma.masked_not_equal)
def masked_not_equal(x: ArrayLike | MaskedArray, value: Any, copy: bool = True) -> MaskedArray:  # noqa: ARG001
    """Hide the cells that are not equal to a value.

    {Parameters} {x, value, copy}
    {Returns} MaskedArray: The cells of `x`.
    {See Also} masked_where, numpy.ma.masked_not_equal
    {Examples}
    >>> dt.ma.masked_not_equal(dt.arange(4), 2).compute().tolist()
    [None, None, 2, None]
    """
    return _masked_by_comparison("not_equal", x, value)
