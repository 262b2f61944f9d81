"""Random orders: arrays shuffled in place, each lane permuted on its own, bytes."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.amounts import integer
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.axis_names import names_axes
from dask_tapestry.arrays.core.chunks import Chunks
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.layout_arguments import with_chunks
from dask_tapestry.arrays.random.integer_draws import RandomIntegers
from dask_tapestry.arrays.random.parameters import no_out
from dask_tapestry.errors import ArgumentError, DTypeError
from dask_tapestry.operators.axes import normalize_axis
from dask_tapestry.operators.indexing.take import take_along_axis
from dask_tapestry.operators.random.permutation import permutation as permutation_tensor
from dask_tapestry.operators.random.random_bits import random_bits
from dask_tapestry.operators.sorting.sort import argsort

WORD_BYTES = 8


class RandomOrders(RandomIntegers):
    """More of random orders: methods have the names and arguments of NumPy's."""

    @names_axes
    def permuted(
        self, x: ArrayLike, *, axis: int | None = None, out: None = None, chunks: Chunks = None
    ) -> Array:
        """Return `x` with the cells of each lane along `axis` in a random order of its own.

        The order is that of as many random numbers, so lanes are sorted.

        {Parameters}
            x: An array.
            axis: Along which lanes lie; None for all cells together.
            {out.none, chunks}
        {Returns} Array: Shape and dtype of `x`.
        {Raises} {AxisError}
        {See Also} permutation, shuffle

        Examples
        --------
        >>> import numpy as np, dask_tapestry as dt
        >>> x = dt.random.default_rng(0).permuted(np.arange(12).reshape(3, 4), axis=1)
        >>> np.sort(x.compute(), axis=1)[1]
        array([4, 5, 6, 7])
        """
        no_out(out)
        array = asarray(x)
        if axis is None:
            order = Array(permutation_tensor(array.size, self._draws.next()))
            return with_chunks(array.reshape(-1)[order].reshape(array.shape), chunks)
        number = normalize_axis(axis, array.ndim)
        keys_order = argsort(random_bits(array.shape, self._draws.next()), number)
        return with_chunks(Array(take_along_axis(array.node, keys_order, number)), chunks)

    @names_axes
    def shuffle(self, x: Array, axis: int = 0) -> None:
        """Put the slices of `x` in random order: `x` is another expression afterwards.

        {Parameters}
            x: An array of this library's; its memory, if it has some, is not written to.
            axis: Axis along which its slices lie.
        {Returns} None
        {Raises}
            DTypeError: If `x` is another array, as what is in its memory would have to be computed
                now.
            {AxisError}
        {See Also} permutation, permuted
        {Examples}
        >>> x = dt.arange(5)
        >>> dt.random.default_rng(0).shuffle(x)
        >>> sorted(x.compute().tolist())
        [0, 1, 2, 3, 4]
        """
        if not isinstance(x, Array):
            raise DTypeError(
                f"shuffle changes an Array, not {type(x).__name__}: take permutation(x) instead"
            )
        x[...] = self.permutation(x, axis)

    def bytes(self, length: int) -> bytes:
        """Return random bytes, which are computed at once.

        {Parameters} length: How many.
        {Returns} bytes: Of that length.
        {Raises} ValueError: If the length is negative.
        {Examples}
        >>> len(dt.random.default_rng(0).bytes(10))
        10
        """
        count = integer(length)
        if count < 0:
            raise ArgumentError("negative dimensions are not allowed")
        words = Array(random_bits((-(-count // WORD_BYTES),), self._draws.next()))
        made = np.asarray(words.compute(), "<u8").tobytes()
        return made[:count]
