"""Masked arrays without cells of some values: in a range, near a number, not finite."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.declared_arguments import checked_as
from dask_tapestry.arrays.elementwise import isclose
from dask_tapestry.arrays.ma.mask_creation import asarray, masked_array
from dask_tapestry.arrays.ma.masked_array import MaskedArray
from dask_tapestry.arrays.ma.masking import masked_where
from dask_tapestry.arrays.ma.parts import call, cells_of, checked_fill, chosen, combined_mask

__all__ = ["fix_invalid", "masked_inside", "masked_invalid", "masked_outside", "masked_values"]


@checked_as(np.ma.masked_inside)
def masked_inside(x: ArrayLike | MaskedArray, v1: Any, v2: Any, copy: bool = True) -> MaskedArray:  # noqa: ARG001
    """Hide the cells from `v1` to `v2`, in whichever order these are given.

    {Parameters} {x, v1, copy}
    {Returns} MaskedArray: The cells of `x`.
    {See Also} masked_outside, numpy.ma.masked_inside
    {Examples}
    >>> dt.ma.masked_inside(dt.arange(4), 2, 1).compute().tolist()
    [0, None, None, 3]
    """
    low, high = call("minimum", v1, v2), call("maximum", v1, v2)
    cells = asarray(x).filled()
    above, below = call("greater_equal", cells, low), call("less_equal", cells, high)
    return masked_where(call("logical_and", above, below), x)


@checked_as(np.ma.masked_outside)
def masked_outside(x: ArrayLike | MaskedArray, v1: Any, v2: Any, copy: bool = True) -> MaskedArray:  # noqa: ARG001
    """Hide the cells that are not from `v1` to `v2`, in whichever order these are given.

    {Parameters} {x, v1, copy}
    {Returns} MaskedArray: The cells of `x`.
    {See Also} masked_inside, numpy.ma.masked_outside
    {Examples}
    >>> dt.ma.masked_outside(dt.arange(4), 1, 2).compute().tolist()
    [None, 1, 2, None]
    """
    low, high = call("minimum", v1, v2), call("maximum", v1, v2)
    cells = asarray(x).filled()
    below, above = call("less", cells, low), call("greater", cells, high)
    return masked_where(call("logical_or", below, above), x)


@checked_as(np.ma.masked_values)
def masked_values(
    x: ArrayLike | MaskedArray,
    value: float,
    rtol: float = 1e-5,
    atol: float = 1e-8,
    copy: bool = True,  # noqa: ARG001
    shrink: bool = True,  # noqa: ARG001
) -> MaskedArray:
    """Hide the cells that are close to a value, which becomes the fill value.

    {Parameters}
        {x, value.number}
        rtol, atol: As of `isclose`; cells that are no floats must be equal.
        copy, shrink: As NumPy's, without meaning here: a mask stays whole, even if it hides
            nothing.
    {Returns} MaskedArray: The cells of `x`, with `value` where they were hidden.
    {See Also} masked_equal, numpy.ma.masked_values
    {Examples}
    >>> dt.ma.masked_values([1.0, 1.1, 2.0], 1.1).compute().tolist()
    [1.0, None, 2.0]
    """
    cells = asarray(x).filled(value)
    is_float = cells.dtype.kind == "f"
    near = isclose(cells, value, rtol, atol) if is_float else call("equal", cells, value)
    return masked_array(cells, near, fill_value=value)


def _not_finite(x: Array) -> Array:
    return call("logical_not", call("isfinite", x))


@checked_as(np.ma.masked_invalid)
def masked_invalid(a: ArrayLike | MaskedArray, copy: bool = True) -> MaskedArray:  # noqa: ARG001
    """Hide the cells that are NaN or infinite.

    {Parameters} {a.array, copy}
    {Returns} MaskedArray: The cells of `a`.
    {See Also} fix_invalid, numpy.ma.masked_invalid
    {Examples}
    >>> dt.ma.masked_invalid([1.0, dt.nan]).compute().tolist()
    [1.0, None]
    """
    return masked_where(_not_finite(cells_of(a)), a)


@checked_as(np.ma.fix_invalid)
def fix_invalid(
    a: ArrayLike | MaskedArray,
    mask: Any = None,
    copy: bool = True,  # noqa: ARG001
    fill_value: Any = None,
) -> MaskedArray:
    """Hide the cells that are NaN or infinite, and put the fill value in their place.

    {Parameters}
        {a.array}
        mask: What is hidden besides.
        {copy}
        fill_value: By default that of `a`.
    {Returns} MaskedArray: Of the shape and dtype of `a`.
    {See Also} masked_invalid, numpy.ma.fix_invalid
    {Examples}
    >>> dt.ma.fix_invalid([1.0, dt.nan], fill_value=0).data.compute()
    array([1., 0.])
    """
    x = masked_array(a, mask)
    invalid = _not_finite(x.cells)
    value = x.fill_value if fill_value is None else checked_fill(fill_value, x.dtype)
    return MaskedArray(chosen(invalid, value, x.cells), combined_mask(x.hidden, invalid), x.fill)
