"""Discrete Fourier transforms of lanes: short ones as they are, long ones as matrices.

A lane of ``rows * columns`` cells is a matrix in C order. Its columns are transformed, each cell is
turned by an angle that follows from its place, and the rows are transformed: what comes out is the
transform in Fortran order. So no worker needs a long lane whole. Which lanes are long depends on
their length alone, so a value has the same bits on any machine.

Source: Gentleman and Sande, "Fast Fourier transforms: for fun and profit", 1966.
"""

from __future__ import annotations

from functools import lru_cache
from math import isqrt
from typing import Any, Final

import numpy as np

from dask_tapestry.amounts import MOST, integer, is_one_of
from dask_tapestry.errors import ArgumentError, ShapeError
from dask_tapestry.operators.axes import normalize_axis
from dask_tapestry.operators.cells.complex_parts import real_part
from dask_tapestry.operators.cells.elementwise import astype, elementwise
from dask_tapestry.operators.generators.coordinates import coordinates
from dask_tapestry.operators.joins.axis_slices import slice_axis
from dask_tapestry.operators.joins.concat import concat
from dask_tapestry.operators.joins.pad import pad_constant
from dask_tapestry.operators.transforms.fourier import complex_dtype, transformed_dtype, whole_lanes
from dask_tapestry.operators.tuning import LONG_FOURIER_CELLS, NARROW_ROWS
from dask_tapestry.operators.views.permute import permute
from dask_tapestry.operators.views.reshape import reshape
from dask_tapestry.operators.views.reverse import reverse
from dask_tapestry.teg import Tensor

NORMS: Final = ("backward", "ortho", "forward")


def fourier(x: Tensor, function: str, length: int | None, axis: int, norm: str | None) -> Tensor:
    """Transform `x` along `axis`, as ``numpy.fft`` does by `function`.

    Parameters
    ----------
    function
        ``"fft"``, ``"ifft"``, ``"rfft"`` or ``"irfft"``.
    length
        Cells of a lane of time, to which lanes are cut or filled up with zeros; by default as many
        as there are, or for ``"irfft"`` as many as an even length has.
    norm
        One of `NORMS`, or None for the first.

    Raises
    ------
    AxisError
        If the axis does not exist.
    ShapeError
        If lanes have no cell.
    ArgumentError
        For another norm.
    DTypeError
        If the cells are not of a dtype that the function takes.
    """
    if length is not None and integer(length) > MOST:
        raise ShapeError(f"a transform has at most {MOST} cells")
    if length is None:
        extent = x.type.shape[normalize_axis(axis, x.type.ndim)]
        cells = 2 * (extent - 1) if function == "irfft" else extent
    else:
        cells = integer(length)
    if cells < 1:
        raise ShapeError(f"Invalid number of FFT data points ({cells}) specified.")
    if not is_one_of(norm, (None, *NORMS)):
        raise ArgumentError(f"Invalid norm value {norm}; should be one of {', '.join(NORMS)}.")
    transformed_dtype(function, x.type.dtype)  # what NumPy refuses before it looks at the axis
    number = normalize_axis(axis, x.type.ndim)
    rows = rows_of(cells) if cells >= LONG_FOURIER_CELLS and x.type.size else 1
    if rows < NARROW_ROWS:
        return whole_lanes(x, function, cells, number, norm or NORMS[0])
    return _long_lanes(x, function, cells, number, norm or NORMS[0], rows)


@lru_cache(maxsize=256)
def rows_of(length: int) -> int:
    """Rows of the matrix nearest to a square one that has `length` cells."""
    return next((rows for rows in range(isqrt(length), 1, -1) if length % rows == 0), 1)


def _long_lanes(x: Tensor, function: str, length: int, axis: int, norm: str, rows: int) -> Tensor:
    """`function` of lanes, each as a matrix of `rows`."""
    result_dtype = transformed_dtype(function, x.type.dtype)
    dtype = complex_dtype(result_dtype)
    if function == "irfft":
        x = _both_halves(astype(x, dtype), length, axis)
    inner = "ifft" if function in ("ifft", "irfft") else "fft"
    y = _as_matrix(_resized(x, axis, length), inner, axis, norm, rows)
    if function == "rfft":
        return slice_axis(y, axis, 0, length // 2 + 1)
    return astype(real_part(y), result_dtype) if function == "irfft" else y


def _as_matrix(x: Tensor, function: str, axis: int, norm: str, rows: int) -> Tensor:
    shape, length = x.type.shape, x.type.shape[axis]
    columns = length // rows
    before, after = shape[:axis], shape[axis + 1 :]
    matrix = reshape(x, (*before, rows, columns, *after))
    y = whole_lanes(matrix, function, rows, axis, norm)
    sign = 1 if function == "ifft" else -1
    turns = _turns(rows, columns, sign, y.type.dtype)
    turned = elementwise("multiply", y, reshape(turns, (rows, columns, *(1,) * len(after))))
    z = whole_lanes(turned, function, columns, axis + 1, norm)
    order = list(range(z.type.ndim))
    order[axis], order[axis + 1] = axis + 1, axis
    return reshape(permute(z, order), shape)


def _turns(rows: int, columns: int, sign: int, dtype: np.dtype[Any]) -> Tensor:
    """``exp(sign * 2 pi i * row * column / (rows * columns))``, of shape (rows, columns)."""
    shape = (rows, columns)
    real: Any = np.result_type(np.dtype(dtype.char.lower()), np.float64).type
    step = sign * 2 * np.arccos(real(-1)) / (rows * columns)
    places = elementwise("multiply", coordinates(shape, 0), coordinates(shape, 1))
    angles = elementwise("multiply", astype(places, np.dtype(real)), step)
    return astype(elementwise("exp", elementwise("multiply", angles, 1j)), dtype)


def _both_halves(x: Tensor, length: int, axis: int) -> Tensor:
    """Lanes of `length` cells, of which `x` has those of frequencies from zero on."""
    half = _resized(x, axis, length // 2 + 1)
    others = slice_axis(half, axis, 1, (length + 1) // 2)
    return concat([half, elementwise("conjugate", reverse(others, axis))], axis)


def _resized(x: Tensor, axis: int, length: int) -> Tensor:
    """`x` with its lanes cut, or filled up with zeros."""
    extent = x.type.shape[axis]
    if extent >= length:
        return slice_axis(x, axis, 0, length)
    zero = x.type.dtype.type(0)
    return pad_constant(x, axis, (0, length - extent), (zero, zero))
