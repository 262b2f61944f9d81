"""The distributions that every generator of random arrays has, under NumPy's names."""

from __future__ import annotations

from math import prod
from operator import index
from typing import Any

import numpy as np

from dask_tapestry.array.core.array import Array
from dask_tapestry.array.core.convert import asarray, with_chunks
from dask_tapestry.array.core.dtypes import as_dtype
from dask_tapestry.array.core.shapes import Shape
from dask_tapestry.array.random.parameters import (
    Draws,
    float_dtype,
    integer_bounds,
    no_out,
    output_shape,
    population,
    probability_edges,
    real_interval,
    real_parameter,
)
from dask_tapestry.errors import DTypeError
from dask_tapestry.operators import distributions
from dask_tapestry.operators.axes import normalize_axis
from dask_tapestry.operators.elementwise import Operand, astype, elementwise
from dask_tapestry.operators.full import full
from dask_tapestry.operators.permutation import permutation as permutation_tensor
from dask_tapestry.operators.take import take
from dask_tapestry.teg import Tensor


class Distributions:
    """Random arrays by distribution; each call takes the next random numbers of one seed.

    Arguments are those of NumPy's methods of the same name. Parameters may be arrays, to which
    `size` must fit; `chunks` are nominal, by default those of a canonical grid.
    """

    def __init__(self, seed: Any = None) -> None:
        self._draws = Draws(seed)

    def random(
        self,
        size: Shape | None = None,
        dtype: Any = np.float64,
        out: None = None,
        chunks: Any = None,
    ) -> Array:
        """Return numbers evenly distributed in ``[0, 1)``, float64, float32 or float16.

        They are multiples of 2**-53, 2**-24 or 2**-11.

        Examples
        --------
        >>> import dask_tapestry as dt
        >>> dt.random.default_rng(0).random((2, 3), dtype="float32")
        dt.Array<randomfraction, float32[2, 3], 1 block of (2, 3)>
        """
        kind = float_dtype(dtype, "random")
        no_out(out)
        x = distributions.uniform(output_shape(size), self._draws.next(), kind)
        return laid_out(x, chunks)

    def uniform(
        self, low: Any = 0.0, high: Any = 1.0, size: Shape | None = None, chunks: Any = None
    ) -> Array:
        """Return numbers evenly distributed in ``[low, high)``.

        Raises
        ------
        ValueError, OverflowError
            If `high` is below `low`, or their difference is not finite.

        Examples
        --------
        >>> import dask_tapestry as dt
        >>> x = dt.random.default_rng(0).uniform([0, 10], [1, 11], size=(100, 2))
        >>> x.min(axis=0).compute() >= [0, 10]
        array([ True,  True])
        """
        least, span = real_interval(low, high)
        shape = output_shape(size, least, span)
        x = distributions.uniform(shape, self._draws.next())
        return laid_out(scaled(x, least, span), chunks)

    def standard_normal(
        self,
        size: Shape | None = None,
        dtype: Any = np.float64,
        out: None = None,
        chunks: Any = None,
    ) -> Array:
        """Return normally distributed numbers of mean 0 and deviation 1.

        They are float64, float32 or float16; those of float16 are those of float32, rounded.

        Examples
        --------
        >>> import dask_tapestry as dt
        >>> dt.random.default_rng(0).standard_normal(5).shape
        (5,)
        """
        kind = float_dtype(dtype, "standard_normal")
        no_out(out)
        x = distributions.standard_normal(output_shape(size), self._draws.next(), kind)
        return laid_out(x, chunks)

    def normal(
        self, loc: Any = 0.0, scale: Any = 1.0, size: Shape | None = None, chunks: Any = None
    ) -> Array:
        """Return normally distributed numbers of mean `loc` and deviation `scale`.

        Raises
        ------
        ValueError
            If a scale is negative.

        Examples
        --------
        >>> import dask_tapestry as dt
        >>> x = dt.random.default_rng(0).normal(100, 15, size=100_000)
        >>> bool(abs(x.mean() - 100) < 0.2), bool(abs(x.std() - 15) < 0.2)
        (True, True)
        """
        return laid_out(self._normal(loc, scale, "scale", size), chunks)

    def _normal(self, loc: Any, scale: Any, name: str, size: Shape | None) -> Tensor:
        mean, deviation = real_parameter(loc), real_parameter(scale, name)
        shape = output_shape(size, mean, deviation)
        return scaled(distributions.standard_normal(shape, self._draws.next()), mean, deviation)

    def lognormal(
        self, mean: Any = 0.0, sigma: Any = 1.0, size: Shape | None = None, chunks: Any = None
    ) -> Array:
        """Return numbers whose logarithms are normally distributed.

        Raises
        ------
        ValueError
            If a sigma is negative.

        Examples
        --------
        >>> import dask_tapestry as dt
        >>> bool(dt.random.default_rng(0).lognormal(size=1000).min() > 0)
        True
        """
        return laid_out(elementwise("exp", self._normal(mean, sigma, "sigma", size)), chunks)

    def standard_exponential(
        self,
        size: Shape | None = None,
        dtype: Any = np.float64,
        method: str = "zig",
        out: None = None,
        chunks: Any = None,
    ) -> Array:
        """Return exponentially distributed numbers of mean 1, float64, float32 or float16.

        Those of float32 and float16 are those of float64, rounded. `method` is NumPy's choice of a
        formula; here there is one.

        Examples
        --------
        >>> import dask_tapestry as dt
        >>> bool(dt.random.default_rng(0).standard_exponential(1000).min() >= 0)
        True
        """
        kind = float_dtype(dtype, "standard_exponential")
        no_out(out)
        if method not in ("zig", "inv"):
            raise ValueError(f"method {method!r}: there are 'zig' and 'inv'")
        x = distributions.standard_exponential(output_shape(size), self._draws.next(), kind)
        return laid_out(x, chunks)

    def exponential(self, scale: Any = 1.0, size: Shape | None = None, chunks: Any = None) -> Array:
        """Return exponentially distributed numbers of mean `scale`.

        Raises
        ------
        ValueError
            If a scale is negative.

        Examples
        --------
        >>> import dask_tapestry as dt
        >>> bool(dt.random.default_rng(0).exponential(3.0, 1000).min() >= 0)
        True
        """
        mean = real_parameter(scale, "scale")
        shape = output_shape(size, mean)
        x = distributions.standard_exponential(shape, self._draws.next())
        return laid_out(elementwise("multiply", x, mean), chunks)

    def integers(
        self,
        low: Any,
        high: Any = None,
        size: Shape | None = None,
        dtype: Any = np.int64,
        endpoint: bool = False,
        chunks: Any = None,
    ) -> Array:
        """Return integers from `low` to `high`, without `high` unless `endpoint` is true.

        All are equally likely within 2**-32. With one bound it is `high` and `low` is 0.

        Raises
        ------
        ValueError
            If there is no such integer, or the bounds do not fit the dtype. Bounds that are
            computed later are not looked at; where such a `high` equals `low`, any integer of 64
            bits may come out.

        Examples
        --------
        >>> import dask_tapestry as dt
        >>> dice = dt.random.default_rng(0).integers(1, 6, size=1000, endpoint=True)
        >>> int(dice.min()), int(dice.max())
        (1, 6)
        """
        kind = as_dtype(dtype)
        if kind.kind not in "biu":
            raise DTypeError(f"Unsupported dtype {kind!r} for integers")
        least, count = integer_bounds(low, high, kind, endpoint)
        return laid_out(self._integers(least, count, size, kind), chunks)

    def _integers(
        self, least: int | Tensor, count: int | Tensor, size: Shape | None, dtype: np.dtype[Any]
    ) -> Tensor:
        shape, stream = output_shape(size, least, count), self._draws.next()
        if isinstance(count, Tensor):
            x = distributions.integers_below_cells(shape, stream, count)
        else:
            x = distributions.integers_below(shape, stream, count)
        if isinstance(least, Tensor):
            x = elementwise("add", x, least)
        elif least:
            x = elementwise("add", x, np.uint64(least % 2**64))
        return astype(x, dtype)

    def permutation(self, x: Any, axis: int = 0, chunks: Any = None) -> Array:
        """Return the numbers below `x` in random order, or the array `x` so ordered along `axis`.

        Up to 2**20 numbers every order is equally likely; the order of more is a bijection that
        is computed number by number, so that a slice costs what it holds.

        Source of the bijection: `dask_tapestry.operators.permutation`.

        Examples
        --------
        >>> import numpy as np, dask_tapestry as dt
        >>> x = dt.random.default_rng(0).permutation(10**12)
        >>> len(set(x[:1000].compute()))
        1000
        """
        if isinstance(x, int | np.integer):
            stream = self._draws.next()
            return laid_out(permutation_tensor(max(0, index(x)), stream), chunks)
        tensor = asarray(x).node
        number = normalize_axis(axis, tensor.type.ndim)
        places = permutation_tensor(tensor.type.shape[number], self._draws.next())
        return laid_out(take(tensor, places, number), chunks)

    def choice(
        self,
        a: Any,
        size: Shape | None = None,
        replace: bool = True,
        p: Any = None,
        axis: int = 0,
        shuffle: bool = True,  # it is, either way
        chunks: Any = None,
    ) -> Array:
        """Return a random choice of the numbers below `a`, or of the slices of the array `a`.

        Parameters
        ----------
        p
            How likely each is; by default they are equally so. Only with replacement.

        Raises
        ------
        ValueError
            If there is nothing to choose from, or not enough of it, or `p` is no distribution.
        TypeError
            If `p` is given without replacement.

        Examples
        --------
        >>> import dask_tapestry as dt
        >>> x = dt.random.default_rng(0).choice(10, 1000, p=[0.5] + [0] * 8 + [0.5])
        >>> sorted(set(x.compute().tolist()))
        [0, 9]
        """
        tensor, count, number = population(a, axis)
        shape = output_shape(size)
        places = Array(self._places(count, shape, replace, p))
        if tensor is None:
            return with_chunks(places, chunks)
        return laid_out(take(tensor, places.node, number), chunks)

    def _places(self, count: int, shape: tuple[int, ...], replace: bool, p: Any) -> Tensor:
        stream, kind = self._draws.next(), np.dtype(np.int64)
        if not prod(shape):
            return full(shape, np.int64(0))
        if count < 1:
            raise ValueError("a must be a positive integer unless no samples are taken")
        if p is not None and not replace:
            raise DTypeError("choice without replacement takes no probabilities")
        if not replace:
            if prod(shape) > count:
                text = "Cannot take a larger sample than population when replace is False"
                raise ValueError(text)
            order = Array(permutation_tensor(count, stream))
            return order[: prod(shape)].reshape(shape).node
        if p is None:
            return astype(distributions.integers_below(shape, stream, count), kind)
        edges = asarray(probability_edges(p, count)).node
        return distributions.search(distributions.uniform(shape, stream), edges)


def laid_out(x: Tensor, chunks: Any) -> Array:
    """`x` as an array, in `chunks` if these are given."""
    return with_chunks(Array(x), chunks)


def scaled(x: Tensor, offset: Operand, factor: Operand) -> Tensor:
    """``offset + factor * x``."""
    return elementwise("add", elementwise("multiply", x, factor), offset)
