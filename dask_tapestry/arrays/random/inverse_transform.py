"""Distributions by inverse transform: each number is a function of one uniform or exponential."""

from __future__ import annotations

from math import pi

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.amounts import reading
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.chunks import Chunks
from dask_tapestry.arrays.core.shape_arguments import Shape
from dask_tapestry.arrays.random.bounds import NOT_NEGATIVE, POSITIVE, is_lazy, real_parameter
from dask_tapestry.arrays.random.distributions import Distributions, in_chunks, scaled
from dask_tapestry.arrays.random.parameters import output_shape
from dask_tapestry.errors import ArgumentError
from dask_tapestry.operators.cells.elementwise import Operand, elementwise, scalar_of
from dask_tapestry.operators.cells.where import where
from dask_tapestry.operators.generators.full import full
from dask_tapestry.operators.random import distributions
from dask_tapestry.teg import Tensor


class InverseTransforms(Distributions):
    """More distributions: methods have the names and arguments of NumPy's."""

    def laplace(
        self,
        loc: ArrayLike = 0.0,
        scale: ArrayLike = 1.0,
        size: Shape | None = None,
        chunks: Chunks = None,
    ) -> Array:
        """Return numbers of the Laplace distribution: exponential to both sides of `loc`.

        {Parameters}
            loc, scale: Location and scale, numbers or arrays.
            {size, chunks}
        {Returns} Array: Of shape `size`, float64.
        {Raises} ValueError: If a scale is negative.
        {Examples}
        >>> dt.random.default_rng(0).laplace(size=3).shape
        (3,)
        """
        middle, width = real_parameter(loc), real_parameter(scale, "scale", NOT_NEGATIVE)
        x = distributions.laplace(output_shape(size, middle, width), self._draws.next())
        return in_chunks(scaled(x, middle, width), chunks)

    def logistic(
        self,
        loc: ArrayLike = 0.0,
        scale: ArrayLike = 1.0,
        size: Shape | None = None,
        chunks: Chunks = None,
    ) -> Array:
        """Return numbers of the logistic distribution.

        {Parameters}
            loc, scale: Location and scale, numbers or arrays.
            {size, chunks}
        {Returns} Array: Of shape `size`, float64.
        {Raises} ValueError: If a scale is negative.
        {Examples}
        >>> dt.random.default_rng(0).logistic(size=3).shape
        (3,)
        """
        middle, width = real_parameter(loc), real_parameter(scale, "scale", NOT_NEGATIVE)
        u = self._open_uniform(output_shape(size, middle, width))
        above = elementwise("log1p", elementwise("negative", u))
        x = elementwise("subtract", elementwise("log", u), above)
        return in_chunks(scaled(x, middle, width), chunks)

    def gumbel(
        self,
        loc: ArrayLike = 0.0,
        scale: ArrayLike = 1.0,
        size: Shape | None = None,
        chunks: Chunks = None,
    ) -> Array:
        """Return numbers of the Gumbel distribution, that of the maxima of many numbers.

        {Parameters}
            loc, scale: Location and scale, numbers or arrays.
            {size, chunks}
        {Returns} Array: Of shape `size`, float64.
        {Raises} ValueError: If a scale is negative.
        {Examples}
        >>> dt.random.default_rng(0).gumbel(size=3).shape
        (3,)
        """
        middle, width = real_parameter(loc), real_parameter(scale, "scale", NOT_NEGATIVE)
        u = self._open_uniform(output_shape(size, middle, width))
        twice = elementwise("log", elementwise("negative", elementwise("log", u)))
        return in_chunks(scaled(elementwise("negative", twice), middle, width), chunks)

    def rayleigh(
        self, scale: ArrayLike = 1.0, size: Shape | None = None, chunks: Chunks = None
    ) -> Array:
        """Return numbers of the Rayleigh distribution: lengths of vectors of two normal numbers.

        {Parameters}
            scale: Standard deviation of the two, a number or an array.
            {size, chunks}
        {Returns} Array: Of shape `size`, float64.
        {Raises} ValueError: If a scale is negative.
        {Examples}
        >>> bool(dt.random.default_rng(0).rayleigh(2.0, 100).min() >= 0)
        True
        """
        width = real_parameter(scale, "scale", NOT_NEGATIVE)
        twice = elementwise("multiply", self._standard_exponential(output_shape(size, width)), 2.0)
        return in_chunks(elementwise("multiply", elementwise("sqrt", twice), width), chunks)

    def weibull(self, a: ArrayLike, size: Shape | None = None, chunks: Chunks = None) -> Array:
        """Return numbers of the Weibull distribution: their power `a` is exponentially distributed.

        {Parameters}
            a: The shape parameter, a number or an array, not negative.
            {size, chunks}
        {Returns} Array: Of shape `size`, float64.
        {Raises} ValueError: If an `a` is negative.
        {Examples}
        >>> dt.random.default_rng(0).weibull(1.5, 3).shape
        (3,)
        """
        shape = real_parameter(a, "a", NOT_NEGATIVE)
        x = self._standard_exponential(output_shape(size, shape))
        root = elementwise("power", x, _quotient(1.0, shape))
        return in_chunks(where(elementwise("equal", _tensor_like(shape, x), 0), 0.0, root), chunks)

    def pareto(self, a: ArrayLike, size: Shape | None = None, chunks: Chunks = None) -> Array:
        """Return numbers of the Pareto distribution of the second kind: from 0 on, with tail `a`.

        {Parameters}
            a: The shape parameter, a number or an array, positive.
            {size, chunks}
        {Returns} Array: Of shape `size`, float64.
        {Raises} ValueError: If an `a` is not positive.
        {Examples}
        >>> dt.random.default_rng(0).pareto(1.5, 3).shape
        (3,)
        """
        shape = real_parameter(a, "a", POSITIVE)
        x = self._standard_exponential(output_shape(size, shape))
        return in_chunks(elementwise("expm1", elementwise("divide", x, shape)), chunks)

    def power(self, a: ArrayLike, size: Shape | None = None, chunks: Chunks = None) -> Array:
        """Return numbers in ``[0, 1]`` whose power `a` is evenly distributed.

        {Parameters}
            a: The exponent, a number or an array, positive.
            {size, chunks}
        {Returns} Array: Of shape `size`, float64.
        {Raises} ValueError: If an `a` is not positive.
        {Examples}
        >>> dt.random.default_rng(0).power(1.5, 3).shape
        (3,)
        """
        shape = real_parameter(a, "a", POSITIVE)
        u = self._open_uniform(output_shape(size, shape))
        return in_chunks(elementwise("power", u, _quotient(1.0, shape)), chunks)

    def standard_cauchy(self, size: Shape | None = None, chunks: Chunks = None) -> Array:
        """Return numbers of the Cauchy distribution: quotients of two normal numbers.

        {Parameters} {size.none, chunks}
        {Returns} Array: Of shape `size`, float64.
        {Examples}
        >>> dt.random.default_rng(0).standard_cauchy(3).shape
        (3,)
        """
        turn = elementwise("subtract", self._open_uniform(output_shape(size)), 0.5)
        return in_chunks(elementwise("tan", elementwise("multiply", turn, pi)), chunks)

    def triangular(
        self,
        left: ArrayLike,
        mode: ArrayLike,
        right: ArrayLike,
        size: Shape | None = None,
        chunks: Chunks = None,
    ) -> Array:
        """Return numbers between `left` and `right`, the likelier the nearer to `mode`.

        {Parameters}
            left, mode, right: Lower end, most likely number and upper end; numbers or arrays.
            {size, chunks}
        {Returns} Array: Of shape `size`, float64.
        {Raises} ValueError: If these three are not in order, or all equal.
        {Examples}
        >>> x = dt.random.default_rng(0).triangular(0, 1, 4, size=1000)
        >>> bool((x >= 0).all() & (x <= 4).all())
        True
        """
        _check_order(left, mode, right)
        low, peak, high = (real_parameter(p) for p in (left, mode, right))
        u = self._open_uniform(output_shape(size, low, peak, high))
        low, peak, high = (_tensor_like(p, u) for p in (low, peak, high))
        base, rise = _minus(high, low), _minus(peak, low)
        below = elementwise("multiply", u, elementwise("multiply", base, rise))
        rest = elementwise("multiply", base, _minus(high, peak))
        above = elementwise("multiply", _minus(1.0, u), rest)
        x = where(
            elementwise("less_equal", u, elementwise("divide", rise, base)),
            elementwise("add", low, elementwise("sqrt", below)),
            _minus(high, elementwise("sqrt", above)),
        )
        return in_chunks(x, chunks)

    def _open_uniform(self, shape: tuple[int, ...]) -> Tensor:
        return distributions.open_uniform(shape, self._draws.next())

    def _standard_exponential(self, shape: tuple[int, ...]) -> Tensor:
        return distributions.standard_exponential(shape, self._draws.next())


def _tensor_like(parameter: Operand, x: Tensor) -> Tensor:
    """A parameter as a tensor that broadcasts to `x`."""
    if isinstance(parameter, Tensor):
        return parameter
    return full((1,) * x.type.ndim, scalar_of(parameter, x.type.dtype))


def _minus(x: Operand, y: Operand) -> Tensor:
    return elementwise("subtract", x, y)


def _quotient(x: float, y: Operand) -> Operand:
    if isinstance(y, Tensor):
        return elementwise("divide", x, y)
    return float(np.divide(x, y)) if y else np.inf


def _check_order(left: ArrayLike, mode: ArrayLike, right: ArrayLike) -> None:
    """Refuse corners that are not in order; those that are computed later are not checked."""
    if any(map(is_lazy, (left, mode, right))):
        return
    with reading("triangular"):
        low, peak, high = (np.asarray(p, np.float64) for p in (left, mode, right))
    for wrong, text in (
        (low > peak, "left > mode"),
        (peak > high, "mode > right"),
        (low == high, "left == right"),
    ):
        if np.any(wrong):
            raise ArgumentError(text)
