"""Arguments of functions that interpolate, and the spline coefficients that they read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.amounts import reading
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.ndimage.arguments import Output, given_out, operand, result_dtype
from dask_tapestry.arrays.ndimage.boundary import checked_mode, padded
from dask_tapestry.arrays.ndimage.filter_error import FilterError
from dask_tapestry.arrays.ndimage.splines import (
    DType,
    checked_order,
    coefficients,
    ends_of,
    in_parts,
    plain,
)
from dask_tapestry.arrays.tuning import SPLINE_PAD
from dask_tapestry.errors import ArgumentError
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.generators.full import full
from dask_tapestry.teg import Tensor
from dask_tapestry_kernels.parameters.casts import rounded

PADDED: Final = {"nearest": "nearest", "grid-constant": "constant"}
Read = Callable[[Tensor, int, float, DType], Tensor]


@dataclass(frozen=True)
class Interpolation:
    """What all functions that interpolate are told.

    {Attributes}
        function: The name of the function, for errors.
        order, mode, cval, prefilter: The order of the spline, what lies beyond the ends, the
            constant there, and whether the cells are to be filtered to coefficients.
    """

    function: str
    order: int
    mode: str
    cval: complex
    prefilter: bool

    @classmethod
    def of(
        cls, function: str, order: int, mode: str, cval: complex, prefilter: bool
    ) -> Interpolation:
        """Checked arguments.

        {Raises} FilterError: For an order or a mode that is none.
        """
        number = checked_order(function, order)
        checked_mode(function, mode)
        filters = truth(function, "prefilter", prefilter)
        return cls(function, number, "reflect" if mode == "grid-mirror" else mode, cval, filters)

    def operand(self, x: ArrayLike) -> Array:
        """The array whose cells are interpolated.

        {Raises}
            FilterError: If it has no dimensions.
            DTypeError: If its cells are no numbers.
            ArgumentError: For a complex constant beyond the ends of real cells.
        """
        array = operand(self.function, x, complex_too=True)
        if not array.ndim:
            raise FilterError(
                f"{self.function}: input and output rank must be > 0: input has no dimensions"
            )
        with reading(f"{self.function}: cval"):
            complex(self.cval)
        if array.dtype.kind != "c" and isinstance(self.cval, complex | np.complexfloating):
            raise ArgumentError(
                f"{self.function}: cval cannot be complex where the input is real, here "
                f"{self.cval!r}"
            )
        return array

    def coefficients(self, x: Tensor, fill: float, axes: Sequence[int]) -> tuple[Tensor, int]:
        """What is read of a real tensor, and how many cells were put before and after each axis.

        {Parameters}
            fill: What is beyond the ends in mode ``"grid-constant"``.
            axes: Along which it is interpolated.
        """
        x = plain(x)
        if not self.prefilter or self.order < 2:
            return x, 0
        pad = SPLINE_PAD if self.mode in PADDED else 0
        if pad:
            with np.errstate(all="ignore"):
                cell = float(np.float64(fill).astype(x.type.dtype))
            widths = [(pad, pad) if axis in axes else (0, 0) for axis in range(x.type.ndim)]
            x = padded(x, widths, [PADDED[self.mode]] * x.type.ndim, cell)
        return coefficients(x, self.order, ends_of(self.function, self.mode), tuple(axes)), pad

    def interpolated(
        self,
        array: Array,
        output: Output,
        shape: Sequence[int],
        axes: Sequence[int],
        read: Read,
    ) -> Array:
        """The result, real and imaginary parts by themselves.

        {Parameters}
            shape: Of the result.
            axes: Along which cells are interpolated.
            read: Makes it of coefficients, the cells before them, the constant beyond the ends and
                a dtype.
        """
        dtype = result_dtype(self.function, output, array.dtype)

        def found(x: Tensor, fill: float, own: DType) -> Tensor:
            if not x.type.size or 0 in shape:
                return full(tuple(shape), rounded(np.array(fill), own)[()])
            cells, pad = self.coefficients(x, fill, axes)
            return read(cells, pad, fill, own)

        return given_out(output, in_parts(found, array.node, self.cval, dtype))


def truth(function: str, name: str, given: Any) -> bool:
    """An argument that is true or not."""
    with reading(f"{function}: {name}"):
        return bool(given)
