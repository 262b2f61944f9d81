"""Distributions made of gamma variates, and others of a varying number of draws."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.chunks import Chunks
from dask_tapestry.arrays.core.shape_arguments import Shape
from dask_tapestry.arrays.random.bounds import NOT_NEGATIVE, POSITIVE, real_parameter
from dask_tapestry.arrays.random.distributions import in_chunks
from dask_tapestry.arrays.random.inverse_transform import InverseTransforms
from dask_tapestry.arrays.random.parameters import float_dtype, no_out, output_shape
from dask_tapestry.operators.cells.elementwise import Operand, astype, elementwise
from dask_tapestry.operators.random.variates import variates
from dask_tapestry.teg import Tensor


class GammaVariates(InverseTransforms):
    """Distributions of the gamma family: methods have the names and arguments of NumPy's."""

    def standard_gamma(
        self,
        shape: ArrayLike,
        size: Shape | None = None,
        dtype: DTypeLike | None = np.float64,
        out: None = None,
        chunks: Chunks = None,
    ) -> Array:
        """Return numbers of the gamma distribution of scale 1.

        {Parameters}
            shape: The shape parameter, a number or an array.
            {size, dtype.rounded, out.none, chunks}
        {Returns} Array: Of shape `size`, in `dtype`.
        {Raises} ValueError: If a shape is negative; where parameters are computed later, then.
        {See Also} gamma
        {Examples}
        >>> dt.random.default_rng(0).standard_gamma(2.5, 3).shape
        (3,)
        """
        kind = float_dtype(dtype, "standard_gamma")
        no_out(out)
        a = real_parameter(shape, "shape", NOT_NEGATIVE)
        return in_chunks(astype(self._variates("gamma", size, a), kind), chunks)

    def gamma(
        self,
        shape: ArrayLike,
        scale: ArrayLike = 1.0,
        size: Shape | None = None,
        chunks: Chunks = None,
    ) -> Array:
        """Return numbers of the gamma distribution.

        {Parameters}
            shape, scale: The parameters, numbers or arrays.
            {size, chunks}
        {Returns} Array: Of shape `size`, float64.
        {Raises} ValueError: If a parameter is negative; where parameters are computed later, then.
        {See Also} standard_gamma
        {Examples}
        >>> x = dt.random.default_rng(0).gamma(2, 3, size=100_000)
        >>> bool(abs(x.mean() - 6) < 0.1)
        True
        """
        a = real_parameter(shape, "shape", NOT_NEGATIVE)
        factor = real_parameter(scale, "scale", NOT_NEGATIVE)
        x = self._variates("gamma", output_shape(size, a, factor), a)
        return in_chunks(elementwise("multiply", x, factor), chunks)

    def beta(
        self,
        a: ArrayLike,
        b: ArrayLike,
        size: Shape | None = None,
        chunks: Chunks = None,
    ) -> Array:
        """Return numbers of the beta distribution, between 0 and 1.

        {Parameters}
            a, b: The parameters, numbers or arrays.
            {size, chunks}
        {Returns} Array: Of shape `size`, float64.
        {Raises} {ValueError.positive}
        {Examples}
        >>> dt.random.default_rng(0).beta(2, 3, 3).shape
        (3,)
        """
        parameters = (
            real_parameter(a, "a", POSITIVE),
            real_parameter(b, "b", POSITIVE),
        )
        return in_chunks(self._variates("beta", size, *parameters), chunks)

    def wald(
        self,
        mean: ArrayLike,
        scale: ArrayLike,
        size: Shape | None = None,
        chunks: Chunks = None,
    ) -> Array:
        """Return numbers of the Wald distribution, the inverse Gaussian one.

        {Parameters}
            mean, scale: The parameters, numbers or arrays.
            {size, chunks}
        {Returns} Array: Of shape `size`, float64.
        {Raises} {ValueError.positive}
        {Examples}
        >>> dt.random.default_rng(0).wald(2, 3, 3).shape
        (3,)
        """
        parameters = (
            real_parameter(mean, "mean", POSITIVE),
            real_parameter(scale, "scale", POSITIVE),
        )
        return in_chunks(self._variates("wald", size, *parameters), chunks)

    def vonmises(
        self,
        mu: ArrayLike,
        kappa: ArrayLike,
        size: Shape | None = None,
        chunks: Chunks = None,
    ) -> Array:
        """Return angles of the von Mises distribution, from -pi to pi.

        {Parameters}
            mu: The mode, a number or an array.
            kappa: How narrow it is, a number or an array.
            {size, chunks}
        {Returns} Array: Of shape `size`, float64.
        {Raises} ValueError: If a kappa is negative; where parameters are computed later, then.
        {Examples}
        >>> dt.random.default_rng(0).vonmises(0, 4, 3).shape
        (3,)
        """
        parameters = (
            real_parameter(mu, "mu"),
            real_parameter(kappa, "kappa", NOT_NEGATIVE),
        )
        return in_chunks(self._variates("vonmises", size, *parameters), chunks)

    def _variates(self, draw: str, size: Shape | None, *parameters: Operand) -> Tensor:
        """Cells of a distribution that the kernels name."""
        return variates(draw, output_shape(size, *parameters), self._draws.next(), parameters)
