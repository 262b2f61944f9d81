"""Functions of windows and of lines: `generic_filter`, `generic_filter1d`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.amounts import function as checked_function
from dask_tapestry.amounts import reading, real
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.axis_names import names_axes
from dask_tapestry.arrays.ndimage.arguments import (
    Output,
    checked_size,
    given_out,
    operand,
    reach,
    result_dtype,
)
from dask_tapestry.arrays.ndimage.boundary import checked_mode, padded
from dask_tapestry.arrays.ndimage.footprints import footprint_of
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.axes import normalize_axis
from dask_tapestry.operators.cells.cell_function import called_on_cells
from dask_tapestry.operators.cells.elementwise import astype
from dask_tapestry.operators.functions.vector_function import called_on_vectors
from dask_tapestry.operators.joins.axis_slices import slice_axis
from dask_tapestry.operators.windows.window_call import window_call
from dask_tapestry_kernels.parameters.casts import from_double

__all__ = ["generic_filter", "generic_filter1d"]


@names_axes
def generic_filter(
    input: ArrayLike,
    function: Callable[..., float],
    size: int | Sequence[int] | None = None,
    footprint: ArrayLike | None = None,
    output: Output = None,
    mode: str | Sequence[str] = "reflect",
    cval: float = 0.0,
    origin: int | Sequence[int] = 0,
    extra_arguments: Sequence[Any] = (),
    extra_keywords: Mapping[str, Any] | None = None,
    *,
    axes: int | Iterable[int] | None = None,
) -> Array:
    """Call a function for every window, as `scipy.ndimage.generic_filter`.

    Blocks call it in threads at once, in any order: it must depend on its arguments alone.

    {Parameters}
        input, size, footprint, output, mode, cval, origin, axes: As of `minimum_filter`.
        function: Called as ``function(cells, *extra_arguments, **extra_keywords)`` with the cells
            of a window that count, doubles in C order; what it returns is converted as C does.
        extra_arguments, extra_keywords: Handed to `function`.
    {Returns} Array: Shape of `input`.
    {Raises} FilterError, ArgumentError, AxisError, DTypeError: As `minimum_filter` does; also for
        what is not a function.
    {Examples}
    >>> dt.ndimage.generic_filter(dt.asarray([3.0, 1, 4, 1]), np.ptp, size=3).compute()
    array([2., 3., 3., 3.])
    """
    name = "generic_filter"
    array = operand(name, input)
    checked_function(f"{name}: function", function)
    neighbourhood = footprint_of(name, size, footprint, mode, origin, axes, array.ndim)
    dtype, fill = result_dtype(name, output, array.dtype), real(f"{name}: cval", cval)
    if not array.size:
        return given_out(output, astype(array.node, dtype))
    places = neighbourhood.places or tuple(np.ndindex(*neighbourhood.window))
    framed = padded(array.node, neighbourhood.reach, neighbourhood.modes, fill)
    with reading(f"{name}: extra arguments"):
        call = (function, tuple(extra_arguments), dict(extra_keywords or {}))
    return given_out(output, window_call(framed, neighbourhood.window, places, call, dtype))


@names_axes
def generic_filter1d(
    input: ArrayLike,
    function: Callable[..., None],
    filter_size: int,
    axis: int = -1,
    output: Output = None,
    mode: str = "reflect",
    cval: float = 0.0,
    origin: int = 0,
    extra_arguments: Sequence[Any] = (),
    extra_keywords: Mapping[str, Any] | None = None,
) -> Array:
    """Call a function for every line along an axis, as `scipy.ndimage.generic_filter1d`.

    A block has whole lines. Blocks call it in threads at once, in any order.

    {Parameters}
        input, axis, output, mode, cval, origin: As of `minimum_filter1d`.
        function: Called as ``function(line, result, *extra_arguments, **extra_keywords)`` with a
            line of doubles that is longer by ``filter_size - 1`` cells, and the memory that it
            writes into.
        filter_size: Cells of a window.
        extra_arguments, extra_keywords: Handed to `function`.
    {Returns} Array: Shape of `input`.
    {Raises} FilterError, ArgumentError, AxisError, DTypeError: As `minimum_filter1d` does; also for
        what is not a function.
    {Examples}
    >>> def differences(line, result):
    ...     result[:] = line[2:] - line[:-2]
    >>> dt.ndimage.generic_filter1d(dt.asarray([1.0, 2, 4, 8]), differences, 3).compute()
    array([1., 3., 6., 4.])
    """
    name = "generic_filter1d"
    array = operand(name, input)
    checked_function(f"{name}: function", function)
    length = checked_size(name, filter_size, "filter_size")
    along = normalize_axis(axis, array.ndim, f"{name}: axis")
    around = reach(name, length, origin)
    fill, value = checked_mode(name, mode), real(f"{name}: cval", cval)
    dtype = result_dtype(name, output, array.dtype)
    if not array.size:
        return given_out(output, astype(array.node, dtype))
    widths = [around if a == along else (0, 0) for a in range(array.ndim)]
    framed = padded(astype(array.node, np.dtype(float)), widths, [fill] * array.ndim, value)
    with reading(f"{name}: extra arguments"):
        given = (function, tuple(extra_arguments), dict(extra_keywords or {}))
    written = called_on_vectors(framed, _line, along, around, *given)
    made = slice_axis(written, along, around[0], around[0] + array.shape[along])
    if dtype.kind in "fc":
        return given_out(output, astype(made, dtype))
    return given_out(output, called_on_cells(_Cast(dtype), dtype, [made]))


@dataclass(frozen=True)
class _Cast:
    """Doubles as cells of a dtype, as C converts them."""

    dtype: np.dtype[Any]

    def __call__(self, cells: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return from_double(cells, self.dtype)


def _line(
    function: Callable[..., None],
    arguments: tuple[Any, ...],
    keywords: dict[str, Any],
    vector: np.ndarray[Any, Any],
    widths: np.ndarray[Any, Any],
    axis: int,  # noqa: ARG001
) -> None:
    """Replace the cells between the widths by what the function makes of all."""
    before, after = widths.tolist()
    result = np.zeros(vector.size - before - after)
    function(np.array(vector), result, *arguments, **keywords)
    vector[before : vector.size - after] = result
