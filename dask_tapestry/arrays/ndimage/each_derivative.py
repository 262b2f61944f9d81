"""The derivatives of an array along its axes, which gradients and Laplace operators are made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from numpy.typing import ArrayLike

from dask_tapestry.amounts import function as checked_function
from dask_tapestry.amounts import reading
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.ndimage.arguments import (
    Output,
    axes_of,
    for_each,
    operand,
    result_dtype,
)
from dask_tapestry.arrays.ndimage.smoothing import gaussian_filter
from dask_tapestry.operators.cells.elementwise import astype, elementwise
from dask_tapestry.teg import Tensor

Derivative = Callable[..., Array]
Axes = int | Iterable[int] | None


class GaussianDerivative:
    """The derivative of an order along an axis, smoothed along all."""

    def __init__(self, sigmas: float | Sequence[float], order: int) -> None:
        self.sigmas, self.order = sigmas, order

    def __call__(
        self, x: Array, axis: int, output: Any, mode: str, cval: complex, **kwargs: Any
    ) -> Array:
        orders = [0] * x.ndim
        orders[axis] = self.order
        return gaussian_filter(x, self.sigmas, orders, output, mode, cval, **kwargs)


def along_each(
    function: str,
    x: ArrayLike,
    derivative: Derivative,
    output: Output,
    mode: str | Sequence[str],
    cval: complex,
    arguments: Sequence[Any],
    keywords: Mapping[str, Any],
    axes: Axes,
    squared: bool = False,
) -> list[Tensor]:
    """The derivative along each axis, or its square; the array itself where there is no axis."""
    array = operand(function, x, complex_too=True)
    checked_function(f"{function}: the derivative", derivative)
    dtype, along = result_dtype(function, output, array.dtype), axes_of(function, axes, array.ndim)
    with reading(f"{function}: extra arguments"):
        arguments, keywords = tuple(arguments), dict(keywords)
    made = []
    for axis, own in zip(along, for_each(function, "mode", mode, len(along)), strict=True):
        one = asarray(derivative(array, axis, dtype, own, cval, *arguments, **keywords)).node
        made.append(elementwise("multiply", one, one) if squared else one)
    return made or [astype(array.node, dtype)]
