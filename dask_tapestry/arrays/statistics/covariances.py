"""Covariances and correlations: `cov` and `corrcoef`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from dask_tapestry.amounts import reading
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.dispatch import implements
from dask_tapestry.arrays.core.dtypes import promoted
from dask_tapestry.arrays.core.reduction_arguments import wanted_dtype
from dask_tapestry.arrays.elementwise.where_and_clip import clip, imag, real
from dask_tapestry.arrays.statistics.moments import average
from dask_tapestry.arrays.statistics.reductions import sum
from dask_tapestry.errors import ArgumentError, DTypeError, ShapeError
from dask_tapestry.operators.cells.assert_condition import assert_condition
from dask_tapestry.operators.cells.elementwise import astype, elementwise
from dask_tapestry.operators.joins.concat import concat
from dask_tapestry.operators.joins.diagonal import diagonal
from dask_tapestry.operators.products.matmul import matmul

__all__ = ["corrcoef", "cov"]


@implements(np.cov)
def cov(
    m: ArrayLike,
    y: ArrayLike | None = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: float | None = None,
    fweights: ArrayLike | None = None,
    aweights: ArrayLike | None = None,
    *,
    dtype: DTypeLike | None = None,
) -> Array:
    """Return the covariance matrix of variables, as `numpy.cov`.

    {Parameters}
        m: Samples, 1-d or 2-d: a row for each variable, a column for each observation.
        y: More variables, in the same form.
        {rowvar}
        bias: Divide by the number of observations, instead of one less.
        ddof: Subtracted from the number of observations in the divisor; overrides `bias`.
        fweights: Integers, one for each observation: how often it is counted.
        aweights: Weights, one for each observation: how much it counts.
        dtype: Dtype to compute in, and of the result; by default float64 at least.
    {Returns} Array: Shape (variables, variables); 0-d for one variable.
    {Raises}
        ShapeError: If samples have over two dimensions, weights do not fit them or are negative, or
            `ddof` is not an integer.
        DTypeError: If `fweights` are not integers.
    {See Also} corrcoef, var

    Notes
    -----
    The sums are a matrix product, whose last bits depend on the blocks, as those of BLAS do.

    {Examples}
    >>> dt.cov(dt.asarray([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]])).compute()
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    with reading("bias"):
        free = 1 - int(bias) if ddof is None else ddof
    x = _variables(m, y, rowvar, wanted_dtype(dtype))
    with reading("ddof"):
        whole = int(free)
    if free != whole:
        raise ArgumentError("ddof must be integer")
    if not x.shape[0]:
        return x.reshape(0, 0)
    weights = _weights(fweights, aweights, x.shape[1])
    around = average(x, axis=1, weights=weights)
    off = x - around.reshape(-1, 1)
    weighted = off if weights is None else off * weights
    product = Array(matmul(off.node, weighted.T.conj().node))
    scaled = product * _inverse_degrees(x, weights, aweights, whole)
    return Array(astype(scaled.node, x.dtype)).squeeze()


def _variables(
    m: ArrayLike, y: ArrayLike | None, rowvar: bool, dtype: np.dtype[Any] | None
) -> Array:
    """Variables as rows, in the dtype to compute in."""
    given = [asarray(v) for v in (m, y) if v is not None]
    if any(v.ndim > 2 for v in given):
        raise ShapeError(f"variables have at most two dimensions: {[v.shape for v in given]}")
    work = dtype or promoted(*[v.dtype for v in given], np.float64)
    rows = []
    for number, v in enumerate(given):
        two = v.reshape((1,) * (2 - v.ndim) + v.shape)
        turned = not rowvar and (v.ndim != 1 if number == 0 else two.shape[0] != 1)
        rows.append(astype((two.T if turned else two).node, work))
    return Array(rows[0] if len(rows) == 1 else concat(rows, 0))


def _weights(fweights: ArrayLike | None, aweights: ArrayLike | None, count: int) -> Array | None:
    """The product of the weights that are given, in float64; None if none is."""
    factors = []
    for name, given in (("fweights", fweights), ("aweights", aweights)):
        if given is None:
            continue
        weights = _not_negative(
            asarray(given), name, known=isinstance(given, np.ndarray | Sequence)
        )
        if name == "fweights" and weights.dtype.kind not in "iu":
            raise DTypeError("fweights must be integer")
        if weights.ndim > 1:
            raise ShapeError(f"cannot handle multidimensional {name}")
        if weights.shape != (count,):
            raise ShapeError(f"incompatible numbers of samples and {name}: {weights.shape}")
        factors.append(weights)
    if not factors:
        return None
    if len(factors) == 1:
        return Array(astype(factors[0].node, np.dtype(np.float64)))
    return Array(astype((factors[0] * factors[1]).node, np.dtype(np.float64)))


def _not_negative(weights: Array, name: str, known: bool) -> Array:
    """`weights`; what is not `known` yet is looked at when it is computed."""
    message = f"{name} cannot be negative"
    if weights.dtype.kind not in "if":
        return weights
    if not known:
        positive = elementwise("logical_not", elementwise("less", weights.node, 0))
        return Array(assert_condition(weights.node, positive, message))
    if (np.asarray(weights) < 0).any():
        raise ShapeError(message)
    return weights


def _inverse_degrees(
    x: Array, weights: Array | None, aweights: ArrayLike | None, free: int
) -> Array | float:
    """One divided by the degrees of freedom, which are at least zero."""
    if weights is None:
        with np.errstate(divide="ignore"):
            return float(np.true_divide(1, max(x.shape[1] - free, 0)))
    total = sum(weights)
    if free == 0:
        degrees = total
    elif aweights is None:
        degrees = total - free
    else:
        degrees = total - free * sum(weights * asarray(aweights)) / total
    positive = elementwise("maximum", degrees.node, 0.0)
    return Array(elementwise("divide", 1.0, positive))


@implements(np.corrcoef)
def corrcoef(
    x: ArrayLike, y: ArrayLike | None = None, rowvar: bool = True, *, dtype: DTypeLike | None = None
) -> Array:
    """Return the correlation coefficients of variables, as `numpy.corrcoef`.

    {Parameters}
        x: Samples, 1-d or 2-d: a row for each variable, a column for each observation.
        y: More variables, in the same form.
        {rowvar}
        dtype: Dtype to compute in, and of the result; by default float64 at least.
    {Returns} Array: Shape (variables, variables), cells within ±1; 0-d for one variable.
    {Raises} ShapeError: If samples have over two dimensions.
    {See Also} cov
    {Examples}
    >>> dt.corrcoef(dt.asarray([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]])).compute()
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    c = cov(x, y, rowvar, dtype=dtype)
    if not c.ndim:
        return c / c
    on = diagonal(c.node)
    deviation = Array(elementwise("sqrt", real(Array(on)).node))
    scaled = c / deviation.reshape(-1, 1) / deviation
    if c.dtype.kind != "c":
        return clip(scaled, -1, 1)
    return clip(real(scaled), -1, 1) + clip(imag(scaled), -1, 1) * 1j
