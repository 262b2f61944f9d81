"""Distributions whose numbers are a function of one evenly or exponentially distributed number."""

from __future__ import annotations

from math import pi
from typing import Any

import numpy as np

from dask_tapestry.array.core.array import Array
from dask_tapestry.array.core.shapes import Shape
from dask_tapestry.array.random.distributions import Distributions, laid_out, scaled
from dask_tapestry.array.random.parameters import is_lazy, output_shape, real_parameter
from dask_tapestry.operators import distributions
from dask_tapestry.operators.elementwise import Operand, elementwise, scalar_of
from dask_tapestry.operators.full import full
from dask_tapestry.operators.where import where
from dask_tapestry.teg import Tensor


class Inversions(Distributions):
    """More distributions; arguments are those of NumPy's methods of the same name."""

    def laplace(
        self, loc: Any = 0.0, scale: Any = 1.0, size: Shape | None = None, chunks: Any = None
    ) -> Array:
        """Return numbers distributed exponentially to both sides of `loc`.

        Examples
        --------
        >>> import dask_tapestry as dt
        >>> dt.random.default_rng(0).laplace(size=3).shape
        (3,)
        """
        middle, width = real_parameter(loc), real_parameter(scale, "scale")
        x = distributions.laplace(output_shape(size, middle, width), self._draws.next())
        return laid_out(scaled(x, middle, width), chunks)

    def logistic(
        self, loc: Any = 0.0, scale: Any = 1.0, size: Shape | None = None, chunks: Any = None
    ) -> Array:
        """Return numbers of the logistic distribution.

        Examples
        --------
        >>> import dask_tapestry as dt
        >>> dt.random.default_rng(0).logistic(size=3).shape
        (3,)
        """
        middle, width = real_parameter(loc), real_parameter(scale, "scale")
        u = self._open(output_shape(size, middle, width))
        above = elementwise("log1p", elementwise("negative", u))
        x = elementwise("subtract", elementwise("log", u), above)
        return laid_out(scaled(x, middle, width), chunks)

    def gumbel(
        self, loc: Any = 0.0, scale: Any = 1.0, size: Shape | None = None, chunks: Any = None
    ) -> Array:
        """Return numbers of the Gumbel distribution, of which maxima are.

        Examples
        --------
        >>> import dask_tapestry as dt
        >>> dt.random.default_rng(0).gumbel(size=3).shape
        (3,)
        """
        middle, width = real_parameter(loc), real_parameter(scale, "scale")
        u = self._open(output_shape(size, middle, width))
        twice = elementwise("log", elementwise("negative", elementwise("log", u)))
        return laid_out(scaled(elementwise("negative", twice), middle, width), chunks)

    def rayleigh(self, scale: Any = 1.0, size: Shape | None = None, chunks: Any = None) -> Array:
        """Return lengths of vectors of two normally distributed numbers.

        Examples
        --------
        >>> import dask_tapestry as dt
        >>> bool(dt.random.default_rng(0).rayleigh(2.0, 100).min() >= 0)
        True
        """
        width = real_parameter(scale, "scale")
        twice = elementwise("multiply", self._waiting(output_shape(size, width)), 2.0)
        return laid_out(elementwise("multiply", elementwise("sqrt", twice), width), chunks)

    def weibull(self, a: Any, size: Shape | None = None, chunks: Any = None) -> Array:
        """Return numbers whose power `a` is exponentially distributed.

        Examples
        --------
        >>> import dask_tapestry as dt
        >>> dt.random.default_rng(0).weibull(1.5, 3).shape
        (3,)
        """
        shape = real_parameter(a, "a")
        x = self._waiting(output_shape(size, shape))
        root = elementwise("power", x, _quotient(1.0, shape))
        return laid_out(where(elementwise("equal", _like(shape, x), 0), 0.0, root), chunks)

    def pareto(self, a: Any, size: Shape | None = None, chunks: Any = None) -> Array:
        """Return numbers of the Pareto distribution of the second kind: above 0, with tail `a`.

        Examples
        --------
        >>> import dask_tapestry as dt
        >>> dt.random.default_rng(0).pareto(1.5, 3).shape
        (3,)
        """
        shape = real_parameter(a, "a", zero=False)
        x = self._waiting(output_shape(size, shape))
        return laid_out(elementwise("expm1", elementwise("divide", x, shape)), chunks)

    def power(self, a: Any, size: Shape | None = None, chunks: Any = None) -> Array:
        """Return numbers in ``[0, 1]`` whose power `a` is evenly distributed.

        Examples
        --------
        >>> import dask_tapestry as dt
        >>> dt.random.default_rng(0).power(1.5, 3).shape
        (3,)
        """
        shape = real_parameter(a, "a", zero=False)
        u = self._open(output_shape(size, shape))
        return laid_out(elementwise("power", u, _quotient(1.0, shape)), chunks)

    def standard_cauchy(self, size: Shape | None = None, chunks: Any = None) -> Array:
        """Return quotients of two normally distributed numbers.

        Examples
        --------
        >>> import dask_tapestry as dt
        >>> dt.random.default_rng(0).standard_cauchy(3).shape
        (3,)
        """
        turn = elementwise("subtract", self._open(output_shape(size)), 0.5)
        return laid_out(elementwise("tan", elementwise("multiply", turn, pi)), chunks)

    def triangular(
        self, left: Any, mode: Any, right: Any, size: Shape | None = None, chunks: Any = None
    ) -> Array:
        """Return numbers between `left` and `right`, the likelier the nearer to `mode`.

        Raises
        ------
        ValueError
            If these three are not in order, or all equal.

        Examples
        --------
        >>> import dask_tapestry as dt
        >>> x = dt.random.default_rng(0).triangular(0, 1, 4, size=1000)
        >>> bool((x >= 0).all() & (x <= 4).all())
        True
        """
        _check_order(left, mode, right)
        low, peak, high = (real_parameter(p) for p in (left, mode, right))
        u = self._open(output_shape(size, low, peak, high))
        low, peak, high = (_like(p, u) for p in (low, peak, high))
        base, rise = _minus(high, low), _minus(peak, low)
        below = elementwise("multiply", u, elementwise("multiply", base, rise))
        rest = elementwise("multiply", base, _minus(high, peak))
        above = elementwise("multiply", _minus(1.0, u), rest)
        x = where(
            elementwise("less_equal", u, elementwise("divide", rise, base)),
            elementwise("add", low, elementwise("sqrt", below)),
            _minus(high, elementwise("sqrt", above)),
        )
        return laid_out(x, chunks)

    def _open(self, shape: tuple[int, ...]) -> Tensor:
        return distributions.open_uniform(shape, self._draws.next())

    def _waiting(self, shape: tuple[int, ...]) -> Tensor:
        return distributions.standard_exponential(shape, self._draws.next())


def _like(parameter: Operand, x: Tensor) -> Tensor:
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


def _check_order(left: Any, mode: Any, right: Any) -> None:
    """Refuse corners that are not in order; those that are computed later are not looked at."""
    if any(map(is_lazy, (left, mode, right))):
        return
    low, peak, high = (np.asarray(p, np.float64) for p in (left, mode, right))
    for wrong, text in (
        (low > peak, "left > mode"),
        (peak > high, "mode > right"),
        (low == high, "left == right"),
    ):
        if np.any(wrong):
            raise ValueError(text)
