"""Boundaries: values beyond the ends of an array, by the names of `scipy.ndimage`'s modes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from dask_tapestry.amounts import is_one_of, suggestion
from dask_tapestry.arrays.ndimage.filter_error import FilterError
from dask_tapestry.operators.cells.elementwise import astype
from dask_tapestry.operators.joins.pad import pad_constant, pad_edge, pad_reflect, pad_wrap
from dask_tapestry.teg import Tensor

Widths = tuple[int, int]
SAME: Final = {"grid-mirror": "reflect", "grid-constant": "constant", "grid-wrap": "wrap"}
MODES: Final = ("reflect", "constant", "nearest", "mirror", "wrap", *SAME)


def checked_mode(function: str, mode: Any) -> str:
    """The mode that is meant, of those with one meaning the first.

    {Raises} FilterError: For what is no mode.

    Examples
    --------
    >>> checked_mode("correlate", "grid-mirror")
    'reflect'
    """
    if not isinstance(mode, str) and isinstance(mode, Sequence):
        raise FilterError(f"{function}: a sequence of modes is not supported, here {mode!r}")
    if not is_one_of(mode, MODES) or mode is None:
        names = ", ".join(MODES)
        raise FilterError(
            f"{function}: mode must be one of {names}, not {mode!r}{suggestion(mode, MODES)}"
        )
    return SAME.get(mode, mode)


def padded(x: Tensor, widths: Sequence[Widths], modes: Sequence[str], cval: float) -> Tensor:
    """`x` with cells before and after it along each axis, as filters see them.

    Where a constant is no cell of the dtype, cells become doubles, which SciPy computes with.

    {Parameters} modes: One for each axis, as `checked_mode` returns them.
    """
    wide = [axis for axis, width in enumerate(widths) if any(width)]
    if any(modes[axis] == "constant" for axis in wide) and not _is_cell(cval, x.type.dtype):
        x = astype(x, np.dtype(np.float64))
    for axis in wide:
        x = _padded_along(x, axis, widths[axis], modes[axis], cval)
    return x


def _padded_along(x: Tensor, axis: int, widths: Widths, mode: str, cval: float) -> Tensor:
    if mode == "constant":
        cell = np.float64(cval).astype(x.type.dtype)
        return pad_constant(x, axis, widths, (cell, cell))
    if mode == "nearest":
        return pad_edge(x, axis, widths)
    if mode == "wrap":
        return pad_wrap(x, axis, widths)
    return pad_reflect(x, axis, widths, mode == "reflect")


def _is_cell(cval: float, dtype: np.dtype[Any]) -> bool:
    """Whether a number is a value of a dtype."""
    if dtype.kind == "f":
        with np.errstate(all="ignore"):
            cell = np.float64(cval).astype(dtype)
        return bool(np.isnan(cval)) or bool(np.float64(cell) == cval)
    if dtype.kind == "b":
        return cval in (0, 1)
    info = np.iinfo(dtype)
    return bool(np.isfinite(cval)) and cval == int(cval) and info.min <= int(cval) <= info.max
