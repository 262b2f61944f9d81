"""Medians of the cells that are not hidden."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.arrays import statistics
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.declared_arguments import checked_as
from dask_tapestry.arrays.elementwise import where
from dask_tapestry.arrays.ma.mask_creation import asarray
from dask_tapestry.arrays.ma.masked_array import FUNCTIONS, MaskedArray
from dask_tapestry.arrays.ma.parts import call, chosen
from dask_tapestry.arrays.ma.reductions import no_out
from dask_tapestry.operators.axes import Axes

__all__ = ["median"]


@checked_as(np.ma.median)
def median(
    a: ArrayLike | MaskedArray,
    axis: Axes = None,
    out: None = None,
    overwrite_input: bool = False,  # noqa: ARG001
    keepdims: bool = False,
) -> MaskedArray:
    """Middle cell, or mean of the two, of those along `axis` that are not hidden.

    {Parameters}
        a: The array; complex numbers are in the order of `dask_tapestry.sort`.
        {axis.all, out.none}
        overwrite_input: As NumPy's, without effect.
        {keepdims}
    {Returns} MaskedArray: Of floats or timedeltas; NaN or NaT where a cell that is not hidden is
        one, hidden where all cells are.
    {Raises} DTypeError: For datetimes, which have no mean.
    {See Also} dask_tapestry.median, numpy.ma.median
    {Examples}
    >>> float(dt.ma.median(dt.ma.masked_array([5, 1, 100, 2], [0, 0, 1, 0])))
    2.0
    """
    no_out(out)
    x = asarray(a)
    if x.hidden is None:
        return MaskedArray(statistics.median(x.cells, axis, keepdims=keepdims))
    cells = x.cells if x.dtype.kind in "fcmM" else x.cells.astype(float)
    missing = call("logical_and", call("isnan", cells), call("logical_not", x.hidden))
    none = x._all_hidden(axis, True)
    unseen = chosen(x.hidden, _missing_value(cells.dtype), cells)
    taken = chosen(none, 0, unseen)  # no lane of NaNs, which warns
    middle = statistics.nanmedian(taken, axis, keepdims=keepdims)
    spoilt = statistics.any(missing, axis=axis, keepdims=keepdims)
    made = where(spoilt, _nan_to_propagate(x, cells, axis, keepdims), middle)
    return MaskedArray(made, x._all_hidden(axis, keepdims))


def _missing_value(dtype: np.dtype[Any]) -> Any:
    """What is no number, or no time, of a dtype."""
    return np.array("NaT" if dtype.kind in "mM" else np.nan, dtype)[()]


def _nan_to_propagate(x: MaskedArray, cells: Array, axis: Axes, keepdims: bool) -> Any:
    """The NaN of a median: of complex ones, which differ, the last in order that is not hidden."""
    if cells.dtype.kind != "c":
        return _missing_value(cells.dtype)
    return statistics.median(chosen(x.hidden, float("inf"), cells), axis, keepdims=keepdims)


FUNCTIONS["median"] = median
