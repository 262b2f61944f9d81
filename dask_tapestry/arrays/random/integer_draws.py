"""Random integers, permutations and choices."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from dask_tapestry.amounts import integer
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.axis_names import names_axes
from dask_tapestry.arrays.core.chunks import Chunks
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.declared_arguments import checked_as
from dask_tapestry.arrays.core.dtypes import as_dtype
from dask_tapestry.arrays.core.layout_arguments import with_chunks
from dask_tapestry.arrays.core.shape_arguments import Shape
from dask_tapestry.arrays.random.distributions import Distributions, in_chunks
from dask_tapestry.arrays.random.parameters import (
    integer_bounds,
    output_shape,
    population,
    probabilities,
    probability_edges,
)
from dask_tapestry.errors import ArgumentError, DTypeError
from dask_tapestry.operators.axes import normalize_axis
from dask_tapestry.operators.cells.elementwise import astype, elementwise
from dask_tapestry.operators.generators.full import full
from dask_tapestry.operators.indexing.take import take
from dask_tapestry.operators.random import distributions
from dask_tapestry.operators.random.permutation import permutation as permutation_tensor
from dask_tapestry.operators.random.random_bits import Stream
from dask_tapestry.operators.sorting.sort import argsort
from dask_tapestry.teg import Tensor


class RandomIntegers(Distributions):
    """Integers, permutations and choices: methods have the names and arguments of NumPy's."""

    @checked_as(np.random.Generator.integers)
    def integers(
        self,
        low: ArrayLike,
        high: ArrayLike | None = None,
        size: Shape | None = None,
        dtype: DTypeLike | None = np.int64,
        endpoint: bool = False,
        chunks: Chunks = None,
    ) -> Array:
        """Return integers from `low` to `high`, without `high` unless `endpoint` is true.

        All are equally likely within 2**-32.

        {Parameters}
            low, high: The bounds, integers or arrays of them; one bound is `high`, and `low` is 0.
            {size}
            dtype: An integer dtype or bool.
            endpoint: Whether `high` itself may come out.
            {chunks}
        {Returns} Array: Of shape `size`, in `dtype`.
        {Raises} ValueError: If there is no such integer, or the bounds do not fit the dtype. Bounds
            that are computed later are not checked; where such a `high` equals `low`, any integer
            of 64 bits may come out.
        {See Also} random, choice
        {Examples}
        >>> dice = dt.random.default_rng(0).integers(1, 6, size=1000, endpoint=True)
        >>> int(dice.min()), int(dice.max())
        (1, 6)
        """
        kind = as_dtype(dtype)
        if kind.kind not in "biu":
            raise DTypeError(f"Unsupported dtype {kind!r} for integers")
        least, count = integer_bounds(low, high, kind, endpoint)
        return in_chunks(self._integers(least, count, size, kind), chunks)

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

    @names_axes
    def permutation(self, x: ArrayLike, axis: int = 0, chunks: Chunks = None) -> Array:
        """Return the integers below `x`, or the array `x`, in random order.

        Up to 2**20 numbers every order is equally likely; the order of more is a bijection that
        is computed number by number, so that a slice costs what it holds. Source of the
        bijection: `dask_tapestry.operators.random.permutation`.

        {Parameters}
            x: An integer, or an array whose slices are put in random order.
            axis: Axis of the array along which its slices lie.
            {chunks}
        {Returns} Array: Shape (x,), int64; or shape and dtype of the array.
        {Raises} {AxisError}
        {See Also} choice

        Examples
        --------
        >>> import numpy as np, dask_tapestry as dt
        >>> x = dt.random.default_rng(0).permutation(10**12)
        >>> len(set(x[:1000].compute()))
        1000
        """
        if isinstance(x, int | np.integer):
            stream = self._draws.next()
            return in_chunks(permutation_tensor(max(0, integer(x)), stream), chunks)
        tensor = asarray(x).node
        number = normalize_axis(axis, tensor.type.ndim)
        places = permutation_tensor(tensor.type.shape[number], self._draws.next())
        return with_chunks(Array(take(tensor, places, number)), chunks)

    @checked_as(np.random.Generator.choice)
    def choice(
        self,
        a: ArrayLike,
        size: Shape | None = None,
        replace: bool = True,
        p: ArrayLike | None = None,
        axis: int = 0,
        shuffle: bool = True,
        chunks: Chunks = None,
    ) -> Array:
        """Return a random choice of the integers below `a`, or of the slices of the array `a`.

        {Parameters}
            a: An integer, or an array.
            {size.none}
            replace: Whether the same one may be chosen several times.
            p: How likely each is, known now; by default all are equally likely. Without
                replacement, how likely each of those that are left is to be the next.
            axis: Axis of the array along which its slices lie.
            shuffle: As NumPy's, without effect: the order is always random.
            {chunks}
        {Returns} Array: Of shape `size`, int64; of an array its slices, with `size` in place of
            `axis`.
        {Raises} ValueError: If there is nothing to choose from, or not enough of it, or `p` is no
            distribution.
        {See Also} integers, permutation
        {Examples}
        >>> x = dt.random.default_rng(0).choice(10, 1000, p=[0.5] + [0] * 8 + [0.5])
        >>> sorted(set(x.compute().tolist()))
        [0, 9]
        """
        tensor, count, number = population(a, axis)
        shape = output_shape(size)
        places = Array(self._chosen_places(count, shape, replace, p))
        if tensor is None:
            return in_chunks(places.node, chunks)
        return with_chunks(Array(take(tensor, places.node, number)), chunks)

    def _chosen_places(
        self, count: int, shape: tuple[int, ...], replace: bool, p: ArrayLike | None
    ) -> Tensor:
        stream, kind = self._draws.next(), np.dtype(np.int64)
        if not prod(shape):
            return full(shape, np.int64(0))
        if count < 1:
            raise ArgumentError("a must be a positive integer unless no samples are taken")
        if not replace:
            return self._different_places(count, shape, p, stream)
        if p is None:
            return astype(distributions.integers_below(shape, stream, count), kind)
        edges = asarray(probability_edges(p, count)).node
        return distributions.search(distributions.uniform(shape, stream), edges)

    def _different_places(
        self, count: int, shape: tuple[int, ...], p: ArrayLike | None, stream: Stream
    ) -> Tensor:
        """Places without replacement; of given probabilities, in the order of random times.

        Source: Efraimidis and Spirakis, "Weighted random sampling with a reservoir", Information
        Processing Letters 97 (2006).
        """
        if prod(shape) > count:
            raise ArgumentError("Cannot take a larger sample than population when replace is False")
        if p is None:
            order = permutation_tensor(count, stream)
        else:
            shares = probabilities(p, count)
            if np.count_nonzero(shares) < prod(shape):
                raise ArgumentError("Fewer non-zero entries in p than size")
            times = distributions.standard_exponential((count,), stream)
            order = argsort(elementwise("divide", times, asarray(shares).node), 0)
        return Array(order)[: prod(shape)].reshape(shape).node
