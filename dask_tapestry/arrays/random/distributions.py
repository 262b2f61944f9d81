"""Distributions of real numbers: `uniform`, `normal`, `lognormal`, `exponential`."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from dask_tapestry.amounts import is_one_of
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.chunks import Chunks
from dask_tapestry.arrays.core.layout_arguments import with_chunks
from dask_tapestry.arrays.core.memory_arguments import new_on
from dask_tapestry.arrays.core.name_suggestions import NameSuggestions
from dask_tapestry.arrays.core.shape_arguments import Shape
from dask_tapestry.arrays.random.bounds import NOT_NEGATIVE, real_parameter
from dask_tapestry.arrays.random.parameters import float_dtype, no_out, output_shape, real_interval
from dask_tapestry.arrays.random.seeds import Draws, Seed
from dask_tapestry.errors import ArgumentError
from dask_tapestry.operators.cells.elementwise import Operand, elementwise
from dask_tapestry.operators.random import distributions
from dask_tapestry.teg import Tensor


class Distributions(NameSuggestions):
    """Random arrays by distribution; each call takes the next random numbers of one seed.

    Methods have the names and arguments of NumPy's. Parameters of a distribution may be arrays,
    which broadcast to `size`.

    {Parameters} {seed}
    """

    def __init__(self, seed: Seed = None) -> None:
        self._draws = Draws(seed)

    def random(
        self,
        size: Shape | None = None,
        dtype: DTypeLike | None = np.float64,
        out: None = None,
        chunks: Chunks = None,
    ) -> Array:
        """Return numbers evenly distributed in ``[0, 1)``.

        {Parameters}
            {size.none}
            dtype: float64, float32 or float16.
            {out.none, chunks}
        {Returns} Array: Of shape `size`; the numbers are multiples of 2**-53, 2**-24 or 2**-11.
        {Raises} DTypeError: For another dtype, or an `out`.
        {See Also} uniform
        {Examples}
        >>> dt.random.default_rng(0).random((2, 3), dtype="float32")
        dt.Array<randomfraction, float32[2, 3], 1 block of (2, 3)>
        """
        kind = float_dtype(dtype, "random")
        no_out(out)
        x = distributions.uniform(output_shape(size), self._draws.next(), kind)
        return in_chunks(x, chunks)

    def uniform(
        self,
        low: ArrayLike = 0.0,
        high: ArrayLike = 1.0,
        size: Shape | None = None,
        chunks: Chunks = None,
    ) -> Array:
        """Return numbers evenly distributed in ``[low, high)``.

        {Parameters}
            low, high: The ends, numbers or arrays.
            {size, chunks}
        {Returns} Array: Of shape `size`, float64.
        {Raises} ValueError, OverflowError: If `high` is below `low`, or their difference is not
            finite.
        {See Also} random, integers
        {Examples}
        >>> x = dt.random.default_rng(0).uniform([0, 10], [1, 11], size=(100, 2))
        >>> x.min(axis=0).compute() >= [0, 10]
        array([ True,  True])
        """
        least, span = real_interval(low, high)
        shape = output_shape(size, least, span)
        x = distributions.uniform(shape, self._draws.next())
        return in_chunks(scaled(x, least, span), chunks)

    def standard_normal(
        self,
        size: Shape | None = None,
        dtype: DTypeLike | None = np.float64,
        out: None = None,
        chunks: Chunks = None,
    ) -> Array:
        """Return normally distributed numbers of mean 0 and standard deviation 1.

        {Parameters}
            {size.none}
            dtype: float64, float32 or float16; the numbers of float16 are those of float32,
                rounded.
            {out.none, chunks}
        {Returns} Array: Of shape `size`.
        {Raises} DTypeError: For another dtype, or an `out`.
        {See Also} normal
        {Examples}
        >>> dt.random.default_rng(0).standard_normal(5).shape
        (5,)
        """
        kind = float_dtype(dtype, "standard_normal")
        no_out(out)
        x = distributions.standard_normal(output_shape(size), self._draws.next(), kind)
        return in_chunks(x, chunks)

    def normal(
        self,
        loc: ArrayLike = 0.0,
        scale: ArrayLike = 1.0,
        size: Shape | None = None,
        chunks: Chunks = None,
    ) -> Array:
        """Return normally distributed numbers of mean `loc` and standard deviation `scale`.

        {Parameters}
            loc, scale: Mean and standard deviation, numbers or arrays.
            {size, chunks}
        {Returns} Array: Of shape `size`, float64.
        {Raises} ValueError: If a scale is negative.
        {See Also} standard_normal, lognormal
        {Examples}
        >>> x = dt.random.default_rng(0).normal(100, 15, size=100_000)
        >>> bool(abs(x.mean() - 100) < 0.2), bool(abs(x.std() - 15) < 0.2)
        (True, True)
        """
        return in_chunks(self._normal(loc, scale, "scale", size), chunks)

    def _normal(self, loc: ArrayLike, scale: ArrayLike, name: str, size: Shape | None) -> Tensor:
        mean, deviation = real_parameter(loc), real_parameter(scale, name, NOT_NEGATIVE)
        shape = output_shape(size, mean, deviation)
        return scaled(distributions.standard_normal(shape, self._draws.next()), mean, deviation)

    def lognormal(
        self,
        mean: ArrayLike = 0.0,
        sigma: ArrayLike = 1.0,
        size: Shape | None = None,
        chunks: Chunks = None,
    ) -> Array:
        """Return numbers whose logarithms are normally distributed.

        {Parameters}
            mean, sigma: Mean and standard deviation of the logarithms, numbers or arrays.
            {size, chunks}
        {Returns} Array: Of shape `size`, float64.
        {Raises} ValueError: If a sigma is negative.
        {See Also} normal
        {Examples}
        >>> bool(dt.random.default_rng(0).lognormal(size=1000).min() > 0)
        True
        """
        return in_chunks(elementwise("exp", self._normal(mean, sigma, "sigma", size)), chunks)

    def standard_exponential(
        self,
        size: Shape | None = None,
        dtype: DTypeLike | None = np.float64,
        method: Literal["zig", "inv"] = "zig",
        out: None = None,
        chunks: Chunks = None,
    ) -> Array:
        """Return exponentially distributed numbers of mean 1.

        {Parameters}
            {size.none, dtype.rounded}
            method: ``"zig"`` or ``"inv"``, NumPy's choice of a formula; here there is one.
            {out.none, chunks}
        {Returns} Array: Of shape `size`.
        {Raises}
            DTypeError: For another dtype, or an `out`.
            ValueError: For another method.
        {See Also} exponential
        {Examples}
        >>> bool(dt.random.default_rng(0).standard_exponential(1000).min() >= 0)
        True
        """
        kind = float_dtype(dtype, "standard_exponential")
        no_out(out)
        if not is_one_of(method, ("zig", "inv")):
            raise ArgumentError(f"method {method!r}: there are 'zig' and 'inv'")
        x = distributions.standard_exponential(output_shape(size), self._draws.next(), kind)
        return in_chunks(x, chunks)

    def exponential(
        self, scale: ArrayLike = 1.0, size: Shape | None = None, chunks: Chunks = None
    ) -> Array:
        """Return exponentially distributed numbers of mean `scale`.

        {Parameters}
            scale: The mean, a number or an array.
            {size, chunks}
        {Returns} Array: Of shape `size`, float64.
        {Raises} ValueError: If a scale is negative.
        {See Also} standard_exponential
        {Examples}
        >>> bool(dt.random.default_rng(0).exponential(3.0, 1000).min() >= 0)
        True
        """
        mean = real_parameter(scale, "scale", NOT_NEGATIVE)
        shape = output_shape(size, mean)
        x = distributions.standard_exponential(shape, self._draws.next())
        return in_chunks(elementwise("multiply", x, mean), chunks)


def in_chunks(x: Tensor, chunks: Chunks) -> Array:
    """The numbers `x` as an array, with nominal `chunks` if these are given.

    New ones, which follow from no array on a device, lie on that of the settings.
    """
    drawn = Array(x)
    return with_chunks(new_on(drawn, None) if drawn.device == "cpu" else drawn, chunks)


def scaled(x: Tensor, offset: Operand, factor: Operand) -> Tensor:
    """``offset + factor * x``."""
    return elementwise("add", elementwise("multiply", x, factor), offset)
