"""Shapes of masked arrays: masks move with the cells."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from dask_tapestry.arrays import shape
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.axis_names import names_axes
from dask_tapestry.arrays.core.chunks import Chunks
from dask_tapestry.arrays.indexing import take
from dask_tapestry.arrays.ma.blocks import mapped
from dask_tapestry.arrays.ma.reductions import Reductions
from dask_tapestry.arrays.manipulation import repeat


class ShapeMethods(Reductions):
    """Methods that show the same cells elsewhere, as those of `Array`."""

    def _both(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Self:
        """A function that moves cells, of the cells and of the mask."""
        hidden = None if self.hidden is None else function(self.hidden, *args, **kwargs)
        return self._like(function(self.cells, *args, **kwargs), hidden, self.fill)

    def reshape(self, *sides: int | Sequence[int], order: str = "C") -> Self:
        """Return the same cells in another shape; `Array.reshape`."""
        return self._both(Array.reshape, *sides, order=order)

    def ravel(self, order: str = "C") -> Self:
        """Return the cells in one dimension."""
        return self._both(shape.ravel, order)

    flatten = ravel

    @names_axes
    def transpose(self, *axes: int | Sequence[int] | None) -> Self:
        """Return the array with its dimensions reordered; `Array.transpose`."""
        return self._both(Array.transpose, *axes)

    @property
    def T(self) -> Self:  # noqa: N802  (NumPy's name)
        """The array with its dimensions reversed."""
        return self.transpose()

    @names_axes
    def swapaxes(self, axis1: int, axis2: int) -> Self:
        """Return the array with two dimensions exchanged."""
        return self._both(shape.swapaxes, axis1, axis2)

    @names_axes
    def squeeze(self, axis: int | tuple[int, ...] | None = None) -> Self:
        """Return the array without dimensions of length one."""
        return self._both(shape.squeeze, axis)

    @names_axes
    def repeat(self, repeats: ArrayLike, axis: int | None = None) -> Self:
        """Return the array with cells repeated along an axis."""
        return self._both(repeat, repeats, axis)

    @names_axes
    def take(self, indices: ArrayLike, axis: int | None = None) -> Self:
        """Return cells at places along an axis."""
        made = self._both(take, indices, axis)
        return self._like(made.cells, made.hidden)  # with NumPy's fill value, as there

    def rechunk(self, chunks: Chunks) -> Self:
        """Return the array in other chunks, in which it is then held."""
        return self._both(Array.rechunk, chunks)

    def map_blocks(
        self,
        func: Callable[..., Any],
        *args: Any,
        dtype: DTypeLike | None = None,
        **kwargs: Any,
    ) -> Self:
        """Apply a function to every block, a masked array of NumPy's; `dask_tapestry.map_blocks`.

        The dtype is learnt, where it is not given, by calling `func` on one cell. ``block_id=`` and
        ``block_info=`` are not told.
        """
        made = mapped(func, self.cells, self._mask_cells(), args, dtype, kwargs)
        return self._like(*made, self.fill)

    def dot(self, b: Any) -> Self:
        """Multiply matrices or vectors; `dask_tapestry.ma.dot`."""
        product: Any = np.dot  # NumPy's dispatch asks this array
        made: Self = product(self, b)
        return made

    def copy(self, order: str = "C") -> Self:
        """Return an array of the same value; assigning to one leaves the other as it is.

        {Parameters} order: As NumPy's, without effect.
        """
        return self._both(lambda x: x.copy(order))
