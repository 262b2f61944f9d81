"""Weighted averages and central moments: `average` and `moment`."""

from __future__ import annotations

from typing import Literal, overload

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from dask_tapestry.amounts import integer, real
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.declared_arguments import checked
from dask_tapestry.arrays.core.dispatch import implements
from dask_tapestry.arrays.core.dtypes import promoted
from dask_tapestry.arrays.core.known_values import where_known
from dask_tapestry.arrays.core.lanes import align_weights
from dask_tapestry.arrays.core.out_argument import assigned_to_out
from dask_tapestry.arrays.core.reduction_arguments import flag, wanted_dtype
from dask_tapestry.arrays.statistics.averages import mean
from dask_tapestry.arrays.statistics.reductions import sum
from dask_tapestry.errors import ArgumentError
from dask_tapestry.operators.axes import Axes, normalize_axes
from dask_tapestry.operators.cells.elementwise import astype, elementwise, scalar_of
from dask_tapestry.operators.generators.full import full
from dask_tapestry.operators.views.broadcast import broadcast

__all__ = ["average", "moment"]


@overload
def average(
    a: ArrayLike,
    axis: Axes = None,
    weights: ArrayLike | None = None,
    returned: Literal[False] = False,
    *,
    keepdims: bool = False,
) -> Array: ...
@overload
def average(
    a: ArrayLike,
    axis: Axes = None,
    weights: ArrayLike | None = None,
    *,
    returned: Literal[True],
    keepdims: bool = False,
) -> tuple[Array, Array]: ...
@implements(np.average)
def average(
    a: ArrayLike,
    axis: Axes = None,
    weights: ArrayLike | None = None,
    returned: bool = False,
    *,
    keepdims: bool = False,
) -> Array | tuple[Array, Array]:
    """Return the weighted average along `axis`, as `numpy.average`.

    {Parameters}
        {a}
        axis: Axis or axes to average; None takes all.
        weights: Weights of the shape of `a`, or of its lengths along `axis`; None weighs all cells
            alike.
        returned: Also return the sum of the weights.
        keepdims: Keep the averaged axes, with length 1.
    {Returns}
        average : Array: Shape of `a` without the averaged axes.
        sum_of_weights : Array: Of the same shape, if `returned`.
    {Raises}
        DTypeError: If `a` and `weights` differ in shape and no axis is given.
        ShapeError: If `weights` does not fit `a` along `axis`.
        ZeroDivisionError: If weights that are in memory sum to zero.
    {See Also} mean, cov

    Notes
    -----
    Where weights that are computed sum to zero the result is NaN or infinite, and computing it
    warns of the division: the sum is not known before.

    {Examples}
    >>> float(dt.average(dt.asarray([1.0, 4.0]), weights=[2, 1]))
    2.0
    """
    x, keep = asarray(a), flag(keepdims)
    if weights is None:
        value = mean(x, axis, keepdims=keep)
        if not returned:
            return value
        share = scalar_of(x.size / value.size if value.size else x.size, value.dtype)
        return value, Array(full(value.shape, share))
    if axis is not None:
        normalize_axes(axis, x.ndim)  # a sum would let a 0-d array have axis 0
    given = asarray(weights)
    dtype = promoted(x.dtype, given.dtype, np.float64 if x.dtype.kind in "biu" else x.dtype)
    aligned = align_weights(given, x.shape, axis)
    known = where_known(given)
    if not isinstance(known, Array):
        whole = axis is None or known.shape != x.shape
        along = None if whole else normalize_axes(axis, x.ndim)
        if np.any(known.sum(along) == 0):
            raise ZeroDivisionError("Weights sum to zero, can't be normalized")
    scale = sum(aligned, axis, dtype=dtype, keepdims=keep)
    weighted = Array(elementwise("multiply", x.node, aligned.node, dtype=dtype))
    value = sum(weighted, axis, dtype=dtype, keepdims=keep) / scale
    if not returned:
        return value
    return value, Array(broadcast(scale.node, value.shape))


@checked
def moment(
    a: ArrayLike,
    order: int,
    axis: Axes = None,
    dtype: DTypeLike | None = None,
    keepdims: bool = False,
    ddof: float = 0,
    split_every: int | None = None,  # noqa: ARG001  (the plan decides)
    out: Array | None = None,
) -> Array:
    """Return the central moment of an order along `axis`, as `dask.array.moment`.

    {Parameters}
        {a}
        order: Power of the deviations from the mean: 0 gives ones, 1 zeros, 2 the variance.
        {axis}
        dtype: Dtype to compute in, and of the result; by default that of the mean.
        {keepdims}
        ddof: Subtracted from the number of cells in the divisor.
        {split_every, out}
    {Returns} Array: Shape of `a` without the reduced axes.
    {Raises} ShapeError: If the order is negative.
    {See Also} var, mean
    {Examples}
    >>> float(dt.moment(dt.arange(5), 4))
    6.8
    """
    number, x = integer(order), asarray(a)
    if number < 0:
        raise ArgumentError(f"order must be a non-negative integer, not {number}")
    kind = wanted_dtype(dtype)
    around = mean(x, axis, kind, keepdims=True)
    kind = kind or around.dtype
    if number < 2:
        shape = mean(x, axis, kind, keepdims=keepdims).shape
        return assigned_to_out(out, Array(full(shape, np.float64(1 - number))))
    off = Array(astype(x.node, kind)) - around
    total = sum(off**number, axis, kind, keepdims=keepdims)
    cells = np.prod([x.shape[i] for i in normalize_axes(axis, x.ndim)], dtype=np.int64)
    return assigned_to_out(
        out, Array(astype((total / np.float64(cells - real("ddof", ddof))).node, kind))
    )
