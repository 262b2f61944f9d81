"""Cells brought to one scale along axes: `softmax`, `layer_norm`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.amounts import integer, is_several, listed, real
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.axis_names import names_axes
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.elementwise.ufuncs import exp, sqrt
from dask_tapestry.arrays.statistics.averages import mean
from dask_tapestry.arrays.statistics.extremes import max as largest
from dask_tapestry.arrays.statistics.reductions import sum as total
from dask_tapestry.cells.fixed_dtype import dtype_name
from dask_tapestry.errors import DTypeError, ShapeError

__all__ = ["layer_norm", "softmax"]


@names_axes
def softmax(x: ArrayLike, axis: int | tuple[int, ...] | None = -1) -> Array:
    """Exponentials of cells, divided by their sum: they add up to one along `axis`.

    {Parameters}
        x: The input, of any shape; integers become float64.
        axis: One axis, several, or None for all.
    {Returns} Array: Shape of `x`, and its dtype; of float16 it is computed in float32. NaN where a
        lane has one, or nothing but negative infinity. The same bits for every sharding.
    {Raises}
        AxisError: If `x` has no such axis.
        ShapeError: If a lane has no cell.
        {DTypeError.real}
    {See Also} attention, layer_norm
    {Examples}
    >>> dt.nn.softmax(dt.asarray([0.0, 0.0])).compute()
    array([0.5, 0.5])
    """
    given = asarray(x)
    cells = floating("softmax", given)
    weights = exponentials(cells, axis)
    made = weights / total(weights, axis=axis, keepdims=True)
    return made.astype(given.dtype) if given.dtype == np.float16 else made


def exponentials(x: Array, axis: int | tuple[int, ...] | None) -> Array:
    """``exp(x - max)`` along `axis`, so that none overflows."""
    return exp(x - largest(x, axis=axis, keepdims=True))


def layer_norm(
    x: ArrayLike,
    normalized_shape: int | Sequence[int] | None = None,
    weight: ArrayLike | None = None,
    bias: ArrayLike | None = None,
    eps: float = 1e-5,
) -> Array:
    """Bring the last axes to mean zero and variance one: ``(x - mean) / sqrt(var + eps)``.

    {Parameters}
        x: The input; integers become float64.
        normalized_shape: Extents of the last axes, over which mean and variance are taken; by
            default those of `weight` or `bias`, or of the last axis alone.
        weight, bias: What the result is multiplied with, and what is added then, of that shape;
            None for nothing.
        eps: Added to the variance, which is the mean of squares.
    {Returns} Array: Shape of `x`, and its dtype unless weight or bias have a wider one; of float16
        it is computed in float32. The same bits for every sharding.
    {Raises}
        ShapeError: If the last axes, `weight` or `bias` are not of that shape.
        {DTypeError.real}
    {See Also} softmax

    Notes
    -----
    Source: Ba, Kiros and Hinton, "Layer Normalization", 2016; its parameters are PyTorch's.

    {Examples}
    >>> dt.nn.layer_norm(dt.asarray([[1.0, 3.0]]), eps=0).compute()
    array([[-1.,  1.]])
    """
    operand = asarray(x)
    more = {n: asarray(v) for n, v in (("weight", weight), ("bias", bias)) if v is not None}
    sides = _last_sides(operand, normalized_shape, more)
    for name, array in more.items():
        if array.shape != sides:
            raise ShapeError(f"layer_norm over {sides}: {name} has shape {array.shape}")
    cells = floating("layer_norm", operand)
    axes = tuple(range(-len(sides), 0))
    centred = cells - mean(cells, axis=axes, keepdims=True)
    spread = mean(centred * centred, axis=axes, keepdims=True)
    normalized = centred / sqrt(spread + cells.dtype.type(real("eps", eps)))
    for name, array in more.items():
        normalized = normalized * array if name == "weight" else normalized + array
    halves = all(a.dtype == np.float16 for a in (operand, *more.values()))
    return normalized.astype(np.float16) if halves else normalized


def _last_sides(
    x: Array, shape: int | Sequence[int] | None, more: dict[str, Array]
) -> tuple[int, ...]:
    """Extents of the axes that are normalized."""
    if shape is None:
        sides = [*(array.shape for array in more.values()), x.shape[-1:]][0]
    else:
        each = listed(shape, "extents") if is_several(shape) else (shape,)
        sides = tuple([integer(n) for n in each])
    if not sides or x.shape[-len(sides) :] != sides:
        raise ShapeError(f"layer_norm over the last axes {sides} of an array of shape {x.shape}")
    return sides


def floating(name: str, x: Array) -> Array:
    """`x` in the dtype in which `name` computes."""
    if x.dtype.kind not in "biuf":
        raise DTypeError(f"{name} takes real numbers, not cells of dtype {dtype_name(x.dtype)}")
    if x.dtype == np.float16:
        return x.astype(np.float32)
    return x if x.dtype.kind == "f" else x.astype(np.float64)
