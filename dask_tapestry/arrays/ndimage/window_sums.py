"""Weighted sums over windows: their boundary, the order of terms, complex ones by parts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from dask_tapestry.amounts import reading
from dask_tapestry.arrays.ndimage.boundary import Widths, padded
from dask_tapestry.errors import ArgumentError
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.cells.cell_function import called_on_cells
from dask_tapestry.operators.cells.complex_parts import imag_part, real_part
from dask_tapestry.operators.cells.elementwise import astype, elementwise
from dask_tapestry.operators.windows.window_sum import window_sum
from dask_tapestry.teg import Tensor

Block = np.ndarray[Any, Any]
DType = np.dtype[Any]
Correlated = Callable[[Tensor, Block, float, DType], Tensor]
ALIKE: Final = np.finfo(np.float64).eps  # weights that differ by no more are the same ones


@dataclass(frozen=True)
class JoinedParts:
    """Complex cells of their real and imaginary parts."""

    dtype: DType

    def __call__(self, real: Block, imag: Block) -> Block:
        made = np.empty(real.shape, self.dtype)
        made.real, made.imag = real, imag
        return made


def line_sum(
    x: Tensor,
    weights: Block,
    axis: int,
    reach: Widths,
    mode: str,
    cval: float,
    dtype: DType,
    divisor: float = 1.0,
) -> Tensor:
    """The correlation of a real tensor with real weights along an axis.

    Weights that are symmetric, or the opposite, are multiplied with the sums or differences of the
    cells on both sides, the outermost first; those of no symmetry from the last one to the first.

    {Parameters}
        reach: Cells of a window before and after the cell that it is for.
        divisor: What the sum is divided by.
    """
    count, ndim = len(weights), x.type.ndim
    if not x.type.size:
        return astype(x, dtype)
    widths, window, modes = [(0, 0)] * ndim, [1] * ndim, ["reflect"] * ndim
    widths[axis], window[axis], modes[axis] = reach, count, mode

    def place(number: int) -> tuple[int, ...]:
        return tuple([number if dim == axis else 0 for dim in range(ndim)])

    values = weights.tolist()
    sign = _symmetry(weights)
    if sign:
        middle = count // 2
        singles = [(place(middle), values[middle])]
        pairs = [(place(k), place(count - 1 - k), values[k]) for k in range(middle)]
    else:
        order = [count - 1, *range(count - 1)]
        singles, pairs = [(place(k), values[k]) for k in order], []
    framed = padded(x, widths, modes, cval)
    return window_sum(framed, window, singles, pairs, sign or 1, dtype, divisor)


def _symmetry(weights: Block) -> int:
    """1 for weights that are the same from both sides, -1 for opposite ones, 0 for others."""
    middle = len(weights) // 2
    if len(weights) % 2 == 0 or not middle:
        return len(weights) % 2
    after, before = weights[middle + 1 :], weights[:middle][::-1]
    if not (np.abs(after - before) > ALIKE).any():
        return 1
    return 0 if (np.abs(after + before) > ALIKE).any() else -1


def box_sum(
    x: Tensor,
    weights: Block,
    reaches: Sequence[Widths],
    mode: str,
    cval: float,
    dtype: DType,
) -> Tensor:
    """The correlation of a real tensor with real weights along all axes, in C order of these."""
    if not x.type.size:
        return astype(x, dtype)
    places = np.argwhere(~(np.abs(weights) <= ALIKE)).tolist()
    singles = [(tuple(place), float(weights[tuple(place)])) for place in places]
    framed = padded(x, reaches, [mode] * x.type.ndim, cval)
    return window_sum(framed, weights.shape, singles, dtype=dtype)


def by_parts(
    function: str, correlated: Correlated, x: Tensor, weights: Block, cval: Any, dtype: DType
) -> Tensor:
    """A correlation of real or complex cells with real or complex weights.

    {Parameters}
        correlated: The correlation of real ones.
        dtype: Of the result; complex if cells or weights are.
    {Raises} ArgumentError: For a complex `cval` of real cells.
    """
    with reading(f"{function}: cval"):
        fill = complex(cval)
    if x.type.dtype.kind != "c" and (fill.imag or isinstance(cval, complex | np.complexfloating)):
        raise ArgumentError(
            f"{function}: cval cannot be complex where the input is real, here {cval!r}"
        )
    if x.type.dtype.kind != "c" and weights.dtype.kind != "c":
        return correlated(x, weights.astype(np.float64), fill.real, dtype)
    part = np.dtype(dtype.char.lower())
    cells = [(x, fill.real)]
    if x.type.dtype.kind == "c":
        cells = [(real_part(x), fill.real), (imag_part(x), fill.imag)]
    factors = [weights.real.astype(np.float64)]
    if weights.dtype.kind == "c":
        factors.append(weights.imag.astype(np.float64))
    sums = [[correlated(one, w, value, part) for w in factors] for one, value in cells]
    if len(sums) == 1:
        real, imag = sums[0]
    elif len(factors) == 1:
        real, imag = sums[0][0], sums[1][0]
    else:
        real = elementwise("subtract", sums[0][0], sums[1][1])
        imag = elementwise("add", sums[0][1], sums[1][0])
    return called_on_cells(JoinedParts(dtype), dtype, [real, imag])
