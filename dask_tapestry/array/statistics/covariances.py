"""Covariances and correlations of variables."""

from __future__ import annotations

from typing import Any

import numpy as np

from dask_tapestry.array.core.array import Array
from dask_tapestry.array.core.convert import asarray
from dask_tapestry.array.core.dispatch import implements
from dask_tapestry.array.core.reduction_arguments import wanted_dtype
from dask_tapestry.array.elementwise.choosing import clip, imag, real
from dask_tapestry.array.statistics.moments import average
from dask_tapestry.array.statistics.reductions import sum
from dask_tapestry.errors import DTypeError, ShapeError
from dask_tapestry.operators.concat import concat
from dask_tapestry.operators.diagonal import diagonal
from dask_tapestry.operators.elementwise import astype, elementwise
from dask_tapestry.operators.matmul import matmul

__all__ = ["corrcoef", "cov"]


@implements(np.cov)
def cov(
    m: Any,
    y: Any = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: int | None = None,
    fweights: Any = None,
    aweights: Any = None,
    *,
    dtype: Any = None,
) -> Array:
    """Return the covariances of variables, as `numpy.cov`.

    Parameters
    ----------
    m
        A variable a row, an observation a column.
    y
        More variables.
    rowvar
        If false, a variable a column.
    bias
        Divide by the number of observations, not one less; `ddof` overrides it.
    fweights, aweights
        How often an observation counts, an integer; and of what weight it is.

    Raises
    ------
    ShapeError
        If there are more than two dimensions or weights do not fit the observations.
    DTypeError
        If `fweights` are no integers.

    Notes
    -----
    The sums are a matrix product, whose bits depend on the blocks, as BLAS's do.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.cov(dt.asarray([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]])).compute()
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    x, free = _variables(m, y, rowvar, wanted_dtype(dtype)), 1 - int(bias) if ddof is None else ddof
    if free != int(free):
        raise ShapeError("ddof must be integer")
    if not x.shape[0]:
        return x.reshape(0, 0)
    weights = _weights(fweights, aweights, x.shape[1])
    around = average(x, axis=1, weights=weights)
    assert isinstance(around, Array)
    off = x - around.reshape(-1, 1)
    weighted = off if weights is None else off * weights
    product = Array(matmul(off.node, weighted.T.conj().node))
    scaled = product * _factor(x, weights, aweights, free)
    return Array(astype(scaled.node, x.dtype)).squeeze()


def _variables(m: Any, y: Any, rowvar: bool, dtype: np.dtype[Any] | None) -> Array:
    """Variables as rows, in the dtype they are computed in."""
    given = [asarray(v) for v in (m, y) if v is not None]
    if any(v.ndim > 2 for v in given):
        raise ShapeError(f"variables have at most two dimensions: {[v.shape for v in given]}")
    work = dtype or np.result_type(*[v.dtype for v in given], np.float64)
    rows = []
    for number, v in enumerate(given):
        two = v.reshape((1,) * (2 - v.ndim) + v.shape)
        turned = not rowvar and (v.ndim != 1 if number == 0 else two.shape[0] != 1)
        rows.append(astype((two.T if turned else two).node, work))
    return Array(rows[0] if len(rows) == 1 else concat(rows, 0))


def _weights(fweights: Any, aweights: Any, count: int) -> Array | None:
    found = []
    for name, given in (("fweights", fweights), ("aweights", aweights)):
        if given is None:
            continue
        weights = asarray(given)
        if name == "fweights" and weights.dtype.kind not in "iu":
            raise DTypeError("fweights must be integer")
        if weights.shape != (count,):
            raise ShapeError(f"incompatible numbers of samples and {name}: {weights.shape}")
        found.append(weights)
    if not found:
        return None
    if len(found) == 1:
        return Array(astype(found[0].node, np.dtype(np.float64)))
    return Array(astype((found[0] * found[1]).node, np.dtype(np.float64)))


def _factor(x: Array, weights: Array | None, aweights: Any, free: int) -> Any:
    """One over the degrees of freedom, none of which count as zero."""
    if weights is None:
        degrees: Any = max(x.shape[1] - free, 0)
        with np.errstate(divide="ignore"):
            return np.true_divide(1, degrees)
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
def corrcoef(x: Any, y: Any = None, rowvar: bool = True, *, dtype: Any = None) -> Array:
    """Return the correlations of variables, as `numpy.corrcoef`.

    Parameters
    ----------
    x
        A variable a row, an observation a column.
    y
        More variables.
    rowvar
        If false, a variable a column.

    Examples
    --------
    >>> import dask_tapestry as dt
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
