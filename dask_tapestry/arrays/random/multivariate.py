"""Multivariate distributions: a row of each result is one draw."""

from __future__ import annotations

import warnings
from math import prod
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.amounts import integer, is_one_of, reading, real
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.chunks import Chunks
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.shape_arguments import Shape, shape_of
from dask_tapestry.arrays.random.bounds import (
    COUNT,
    NO_DEBT,
    NOT_NEGATIVE,
    SHARES,
    count_parameter,
    is_lazy,
    real_parameter,
)
from dask_tapestry.arrays.random.distributions import in_chunks
from dask_tapestry.arrays.random.gammas import GammaVariates
from dask_tapestry.arrays.tuning import MOST_BALLS
from dask_tapestry.errors import ArgumentError, DTypeError, ShapeError
from dask_tapestry.operators.broadcast_shapes import broadcast_shape
from dask_tapestry.operators.cells.elementwise import elementwise
from dask_tapestry.operators.cells.where import where
from dask_tapestry.operators.generators.full import full
from dask_tapestry.operators.products.matmul import matmul
from dask_tapestry.operators.random import distributions
from dask_tapestry.operators.random.variates import variate_rows, variates
from dask_tapestry.teg import Tensor

Validity = Literal["warn", "raise", "ignore"]
Factoring = Literal["svd", "eigh", "cholesky"]


class RandomVectors(GammaVariates):
    """Distributions of vectors: methods have the names and arguments of NumPy's."""

    def dirichlet(
        self, alpha: ArrayLike, size: Shape | None = None, chunks: Chunks = None
    ) -> Array:
        """Return rows of shares of the Dirichlet distribution, each with a sum of 1.

        {Parameters}
            alpha: The parameters, of shape (..., k).
            size: Shape of the result without its last axis; by default that of `alpha`.
            {chunks}
        {Returns} Array: Of shape ``(*size, k)``, float64.
        {Raises} ValueError: If an alpha is negative; where it is computed later, then.
        {Examples}
        >>> x = dt.random.default_rng(0).dirichlet([2, 3, 5], size=1000)
        >>> x.shape, bool(abs(x.sum(axis=1) - 1).max() < 1e-12)
        ((1000, 3), True)
        """
        weights = real_parameter(alpha, "alpha", NOT_NEGATIVE)
        if not isinstance(weights, Tensor):
            raise ShapeError("alpha has no axis: it has one parameter for each share")
        shape = (*_rows(size, weights.type.shape[:-1]), weights.type.shape[-1])
        logarithms = Array(variates("log_gamma", shape, self._draws.next(), (weights,)))
        if not prod(shape):
            return _rows_in_chunks(logarithms.node, chunks)
        most = logarithms.max(axis=-1, keepdims=True).node
        zero = full(most.type.shape, np.float64(0))
        base = where(elementwise("equal", most, -np.inf), zero, most)
        sizes = Array(elementwise("exp", elementwise("subtract", logarithms.node, base)))
        return _rows_in_chunks(_shares(sizes), chunks)

    def multinomial(
        self,
        n: ArrayLike,
        pvals: ArrayLike,
        size: Shape | None = None,
        chunks: Chunks = None,
    ) -> Array:
        """Return rows of counts: how many of `n` trials have each of k outcomes.

        {Parameters}
            n: Trials, an integer or an array of them.
            pvals: How likely the outcomes are, of shape (..., k); the last one is what the others
                leave.
            size: Shape of the result without its last axis; by default that of the parameters.
            {chunks}
        {Returns} Array: Of shape ``(*size, k)``, int64.
        {Raises} ValueError: If an `n` is negative, or `pvals` no probabilities; where they are
            computed later, then.
        {See Also} binomial
        {Examples}
        >>> x = dt.random.default_rng(0).multinomial(10, [0.2, 0.3, 0.5], size=1000)
        >>> x.shape, bool((x.sum(axis=1) == 10).all())
        ((1000, 3), True)
        """
        trials = count_parameter(n, "n", NO_DEBT)
        weights = real_parameter(pvals, "pvals", SHARES)
        if not isinstance(weights, Tensor) or not weights.type.shape[-1]:
            raise ShapeError(
                "pvals must have at least 1 dimension and the last dimension of pvals must be "
                "greater than 0."
            )
        if not is_lazy(pvals):
            _check_sum(np.asarray(pvals, np.float64))
        lead = weights.type.shape[:-1]
        if isinstance(trials, Tensor):
            lead = broadcast_shape([lead, trials.type.shape], "n and pvals")
        shape = _rows(size, lead)
        x = variate_rows("multinomial", shape, self._draws.next(), trials, weights)
        return _rows_in_chunks(x, chunks)

    def multivariate_hypergeometric(
        self,
        colors: ArrayLike,
        nsample: int,
        size: Shape | None = None,
        method: Literal["marginals", "count"] = "marginals",
        chunks: Chunks = None,
    ) -> Array:
        """Return rows of counts: balls of each of k colours among `nsample` drawn from an urn.

        {Parameters}
            colors: How many balls there are of each colour, k integers with a sum below 10**9,
                known now.
            nsample: How many are drawn, without replacement.
            size: Shape of the result without its last axis; by default ().
            method: ``"marginals"`` or ``"count"``, NumPy's choice of a way; here there is one.
            {chunks}
        {Returns} Array: Of shape ``(*size, k)``, int64.
        {Raises}
            ValueError: If colors are no such counts, or fewer than are drawn.
            DTypeError: If they are computed later.
        {See Also} hypergeometric
        {Examples}
        >>> x = dt.random.default_rng(0).multivariate_hypergeometric([5, 7, 9], 6, size=100)
        >>> x.shape, bool((x.sum(axis=1) == 6).all())
        ((100, 3), True)
        """
        if not is_one_of(method, ("marginals", "count")):
            raise ArgumentError("method must be 'count' or 'marginals'.")
        balls = _balls(colors, nsample)
        shape, stream = shape_of(() if size is None else size), self._draws.next()
        x = variate_rows(
            "multivariate_hypergeometric", shape, stream, int(nsample), asarray(balls).node
        )
        return _rows_in_chunks(x, chunks)

    def multivariate_normal(
        self,
        mean: ArrayLike,
        cov: ArrayLike,
        size: Shape | None = None,
        check_valid: Validity = "warn",
        tol: float = 1e-8,
        *,
        method: Factoring = "svd",
        chunks: Chunks = None,
    ) -> Array:
        """Return rows of normal numbers that depend on each other.

        {Parameters}
            mean: The means, k numbers.
            cov: Their covariances, of shape (k, k), known now.
            size: Shape of the result without its last axis; by default ().
            check_valid: What to do if `cov` is no covariance: ``"warn"``, ``"raise"`` or
                ``"ignore"``.
            tol: How far it may be off.
            method: How `cov` is factored: ``"svd"``, ``"eigh"`` or ``"cholesky"``.
            {chunks}
        {Returns} Array: Of shape ``(*size, k)``, float64.
        {Raises}
            ValueError: If the shapes do not fit, or `cov` is no covariance.
            DTypeError: If `cov` is computed later.
        {See Also} normal
        {Examples}
        >>> rng = dt.random.default_rng(0)
        >>> x = rng.multivariate_normal([0, 5], [[2, 1], [1, 2]], size=10_000)
        >>> bool(abs(dt.cov(x.T) - [[2, 1], [1, 2]]).max() < 0.2)
        True
        """
        if is_lazy(cov):
            raise DTypeError(
                "cov must be known when the expression is built: compute() it first, or multiply "
                "standard_normal by its factor of dt.linalg.cholesky"
            )
        middle = asarray(mean).node
        with reading("cov"):
            known = np.asarray(cov, np.float64)
        factor = covariance_factor(known, check_valid, real("tol", tol), method)
        if middle.type.ndim != 1:
            raise ArgumentError("mean must be 1 dimensional")
        if middle.type.shape[0] != len(factor):
            raise ArgumentError("mean and cov must have same length")
        rows = shape_of(() if size is None else size)
        made = distributions.standard_normal((prod(rows), len(factor)), self._draws.next())
        x = Array(elementwise("add", matmul(made, asarray(factor).node), middle))
        return _rows_in_chunks(x.reshape((*rows, len(factor))).node, chunks)


def covariance_factor(
    cov: np.ndarray[Any, Any], check_valid: Validity, tol: float, method: Factoring
) -> np.ndarray[Any, Any]:
    """A matrix of which the transpose times itself is `cov`.

    {Raises} ValueError: If `cov` is not square, an option is none, or `cov` no covariance and that
        is to be said.
    """
    for name, value, known in (
        ("check_valid", check_valid, get_args(Validity)),
        ("method", method, get_args(Factoring)),
    ):
        if not is_one_of(value, known):
            raise ArgumentError(f"{name} must be one of {set(known)}")
    if cov.ndim != 2 or cov.shape[0] != cov.shape[1]:
        raise ArgumentError("cov must be 2 dimensional and square")
    if method == "cholesky":
        return np.asarray(np.linalg.cholesky(cov).T)
    if method == "eigh":
        sizes, vectors = np.linalg.eigh(cov)
        valid = bool((sizes >= -tol).all())
        rows = vectors.T
    else:
        _, sizes, rows = np.linalg.svd(cov)
        valid = np.allclose((rows.T * sizes) @ rows, cov, rtol=tol, atol=tol)
    if not valid and check_valid != "ignore":
        text = "covariance is not symmetric positive-semidefinite."
        if check_valid == "raise":
            raise ArgumentError(text)
        warnings.warn(text, RuntimeWarning, stacklevel=3)
    return np.asarray(np.sqrt(np.maximum(sizes, 0))[:, None] * rows)


def _shares(sizes: Array) -> Tensor:
    """Cells by the sums of their rows; of rows without any, zeros."""
    whole = sizes.sum(axis=-1, keepdims=True).node
    empty = elementwise("equal", whole, 0.0)
    return elementwise(
        "divide", sizes.node, elementwise("add", whole, elementwise("multiply", empty, 1.0))
    )


def _rows(size: Shape | None, lead: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of the rows: `size`, to which that of the parameters must broadcast."""
    if size is None:
        return lead
    shape = shape_of(size)
    if broadcast_shape([shape, lead], "size and parameters") != shape:
        raise ShapeError(f"Output size {shape} is not compatible with parameters of shape {lead}")
    return shape


def _check_sum(shares: np.ndarray[Any, Any]) -> None:
    if (shares[..., :-1].sum(axis=-1) > 1 + 1e-12).any():
        raise ArgumentError("sum(pvals[:-1]) > 1.0")


def _balls(colors: ArrayLike, nsample: int) -> np.ndarray[Any, Any]:
    """Counts of balls as int64; see `multivariate_hypergeometric` for what is refused."""
    if is_lazy(colors):
        raise DTypeError("colors must be known when the expression is built: compute() it first")
    with reading("colors"):
        counts = np.asarray(colors)
    if counts.ndim != 1 or (counts.size and counts.dtype.kind not in "iu") or (counts < 0).any():
        raise ArgumentError("colors must be a one-dimensional sequence of nonnegative integers")
    total = sum(counts.tolist())
    if integer(nsample) < 0:
        raise ArgumentError("nsample must be nonnegative.")
    if nsample > total:
        raise ArgumentError("nsample > sum(colors)")
    if total >= MOST_BALLS:
        raise ArgumentError(f"sum(colors) must be less than {MOST_BALLS}")
    return counts.astype(COUNT)


def _rows_in_chunks(x: Tensor, chunks: Chunks) -> Array:
    """`x` with nominal chunks, which may leave out the last axis: a draw is then in one chunk."""
    if isinstance(chunks, tuple | list) and len(chunks) == x.type.ndim - 1:
        chunks = (*chunks, -1)
    return in_chunks(x, chunks)
