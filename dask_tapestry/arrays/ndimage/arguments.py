"""Arguments that all filters take: axes, numbers for each of them, origins, the output's dtype."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from warnings import warn

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from dask_tapestry.amounts import integer, is_several, reading
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.dtypes import as_dtype
from dask_tapestry.arrays.core.known_values import known_now
from dask_tapestry.arrays.core.out_argument import assigned_to_out
from dask_tapestry.arrays.ndimage.filter_error import FilterError
from dask_tapestry.arrays.tuning import MOST_WINDOW_CELLS
from dask_tapestry.cells.fixed_dtype import dtype_name
from dask_tapestry.errors import ArgumentError, AxisError, DTypeError
from dask_tapestry.operators.axes import each_axis, normalize_axis
from dask_tapestry.teg import Tensor
from dask_tapestry.teg.users_line import users_level

Output = DTypeLike | Array | None


def operand(function: str, x: ArrayLike, complex_too: bool = False) -> Array:
    """The array that is filtered.

    {Raises} DTypeError: If its cells are no numbers that the function takes.
    """
    array = asarray(x)
    kinds = "biufc" if complex_too else "biuf"
    if array.dtype.kind not in kinds or array.dtype.char in "gG":
        what = "numbers" if complex_too else "real numbers"
        raise DTypeError(f"{function}: cells must be {what}, not {dtype_name(array.dtype)}")
    return array


def axes_of(function: str, axes: int | Iterable[int] | None, ndim: int) -> tuple[int, ...]:
    """The axes that a filter works along, in the order in which they are given.

    {Raises} AxisError: If one is not of the array, or twice there.

    Examples
    --------
    >>> axes_of("gaussian_filter", (1, -3), 3)
    (1, 0)
    """
    if axes is None:
        return tuple(range(ndim))
    numbers = tuple([normalize_axis(a, ndim, f"{function}: axis") for a in each_axis(axes)])
    if len(set(numbers)) != len(numbers):
        raise AxisError(f"{function}: axes must be unique, not {axes!r}")
    return numbers


def for_each(function: str, name: str, given: Any, count: int) -> list[Any]:
    """`given` for each of some axes: one for all, or a sequence of as many.

    Examples
    --------
    >>> for_each("gaussian_filter", "sigma", 2, 3), for_each("gaussian_filter", "sigma", (1, 2), 2)
    ([2, 2, 2], [1, 2])
    """
    if isinstance(given, str) or not is_several(given):
        return [given] * count
    values = list(given)
    if len(values) != count:
        raise FilterError(
            f"{function}: sequence argument must have length equal to input rank, or to that of "
            f"axes: {name} has {len(values)} for {count}"
        )
    return values


def checked_size(function: str, size: Any, name: str = "size") -> int:
    """The cells of a window along an axis."""
    with reading(f"{function}: {name}"):
        number = int(size) if isinstance(size, float) else integer(size)
    if not 1 <= number <= MOST_WINDOW_CELLS:
        few = "at least 1" if number < 1 else f"at most {MOST_WINDOW_CELLS}"
        raise FilterError(f"{function}: {name} must be {few}, not {number}")
    return number


def reach(function: str, size: int, origin: Any) -> tuple[int, int]:
    """How many cells a window has before and after the cell that it belongs to.

    {Raises} ArgumentError: If the window would not hold that cell.

    Examples
    --------
    >>> reach("correlate1d", 4, 0), reach("correlate1d", 4, 1)
    ((2, 1), (3, 0))
    """
    before = size // 2 + integer(origin)
    if not 0 <= before < size:
        raise ArgumentError(
            f"{function}: invalid origin {origin}: of a window of {size} cells it must be between "
            f"{-(size // 2)} and {(size - 1) // 2}"
        )
    return before, size - 1 - before


def known_cells(function: str, name: str, given: ArrayLike) -> np.ndarray[Any, Any]:
    """The cells of a small argument, known when the expression is built."""
    with reading(f"{function}: {name}"):
        cells = np.asarray(known_now(given, f"{function}: {name}"))
    if cells.dtype.kind not in "biufc":
        raise DTypeError(f"{function}: {name} must be numbers, not {dtype_name(cells.dtype)}")
    return cells


def result_dtype(function: str, output: Output, natural: np.dtype[Any]) -> np.dtype[Any]:
    """Dtype of the result: what `output` says, the `natural` one for None.

    Where it is complex and a real dtype is asked for, that is made complex with a warning.

    {Raises}
        DTypeError: If that is not a dtype of numbers.
        FilterError: If it is the dtype of an array, or a text, that is real where the result is
            complex.
    """
    if output is None:
        return natural
    dtype = output.dtype if isinstance(output, Array) else _dtype(function, output)
    if dtype.kind not in "biufc" or dtype.char in "gG":
        raise DTypeError(f"{function}: output must be of numbers, not {dtype_name(dtype)}")
    if natural.kind == "c" and dtype.kind != "c":
        if not isinstance(output, type | np.dtype):
            raise FilterError(f"{function}: output must have complex dtype, not {dtype}")
        warn("promoting specified output dtype to complex", stacklevel=users_level())
        return np.result_type(dtype, np.complex64)
    return dtype


def _dtype(function: str, output: Any) -> np.dtype[Any]:
    if isinstance(output, np.ndarray):
        raise DTypeError(
            f"{function}: output must be a dtype or a dask_tapestry Array: nothing is computed yet "
            "that could fill NumPy's memory; assign the computed result instead"
        )
    return as_dtype(output)


def given_out(output: Output, result: Tensor) -> Array:
    """The result; an array given as `output` takes its value."""
    made = Array(result)
    return assigned_to_out(output, made, "unsafe") if isinstance(output, Array) else made


def is_per_axis(given: Any) -> bool:
    """Whether modes are given one for each axis."""
    return not isinstance(given, str) and is_several(given)
