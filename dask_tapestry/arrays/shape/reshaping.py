"""The same cells in another shape: `reshape`, `ravel`, `squeeze`, `expand_dims`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.amounts import is_one_of
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.dispatch import implements
from dask_tapestry.arrays.core.parts import part
from dask_tapestry.arrays.core.shape_arguments import Shape, lengths_of
from dask_tapestry.errors import ArgumentError
from dask_tapestry.operators.axes import Axes, each_axis, normalize_axis
from dask_tapestry.operators.views.permute import permute
from dask_tapestry.operators.views.reshape import reshape as reshape_tensor
from dask_tapestry.operators.views.squeeze import squeeze as squeeze_tensor
from dask_tapestry.operators.views.unsqueeze import unsqueeze

__all__ = ["expand_dims", "ravel", "reshape", "squeeze"]


@implements(np.shape)
def _shape(x: Array) -> tuple[int, ...]:
    return x.shape


@implements(np.ndim)
def _ndim(x: Array) -> int:
    return x.ndim


@implements(np.size)
def _size(x: Array, axis: int | None = None) -> int:
    return x.size if axis is None else x.shape[normalize_axis(axis, x.ndim)]


@implements(np.reshape)
def reshape(a: ArrayLike, /, shape: Shape, order: str = "C", *, copy: bool | None = None) -> Array:
    """Return the same cells in another shape, as `numpy.reshape`.

    {Parameters}
        {a.array}
        shape: The new shape; one length may be -1 and follows from the others.
        order: In which cells are counted: ``"C"``, the last index fastest, or ``"F"``, the first
            one. Values have no layout in memory, so ``"A"`` is ``"C"``.
        copy: Has no meaning for values; False cannot be promised.
    {Returns} Array: Of shape `shape`, in the dtype of `a`.
    {Raises}
        ShapeError: If the shapes hold different numbers of cells.
        ArgumentError: For another order, or if `copy` is False.
    {See Also} ravel
    {Examples}
    >>> dt.reshape(dt.arange(6), (2, -1)).shape
    (2, 3)
    """
    if copy is False:
        raise ArgumentError("Unable to avoid creating a copy while reshaping.")
    if is_one_of(order, ("K",)):
        raise ArgumentError("order 'K' is not permitted for reshaping")
    sides = lengths_of(shape)
    if _c_or_f(order) == "F":  # the same in C order, with all dimensions reversed
        backward = reshape_tensor(permute(asarray(a).node, None), sides[::-1])
        return part(permute(backward, None))
    return part(reshape_tensor(asarray(a).node, sides))


def reshape_method(self: Array, *shape: int | Sequence[int], order: str = "C") -> Array:
    """Return the same cells in another shape.

    {Parameters}
        *shape: The lengths: integers, or a sequence; one may be -1 and follows from the others.
        {order.counted}
    {Returns} Array: Of the new shape.
    {See Also} dask_tapestry.reshape
    """
    sides: Any = shape[0] if len(shape) == 1 else shape
    return reshape(self, sides, order)


reshape_method.__qualname__ = "Array.reshape"  # Python's errors of arguments name it


def _c_or_f(order: str) -> str:
    """``"F"``, or ``"C"`` for all orders that mean it here."""
    if not is_one_of(order, ("C", "F", "A", "K")):
        raise ArgumentError(f"order must be one of 'C', 'F', 'A', or 'K' (got {order!r})")
    return "F" if order == "F" else "C"


@implements(np.ravel)
def ravel(a: ArrayLike, order: str = "C") -> Array:
    """Return all cells in one dimension, as `numpy.ravel`.

    {Parameters}
        {a.array}
        order: ``"C"``, the last index fastest, or ``"F"``, the first one; ``"A"`` and ``"K"`` are
            ``"C"``.
    {Returns} Array: Shape ``(a.size,)``.
    {Raises} ArgumentError: For another order.
    {See Also} reshape
    {Examples}
    >>> dt.ravel(dt.ones((2, 3))).shape
    (6,)
    """
    array = asarray(a)
    return reshape(array, (array.size,), _c_or_f(order))


@implements(np.squeeze)
def squeeze(a: ArrayLike, axis: Axes = None) -> Array:
    """Drop dimensions of length one, as `numpy.squeeze`.

    {Parameters}
        {a.array}
        axis: Dimensions to drop; by default all that have length one.
    {Returns} Array: The same cells in fewer dimensions.
    {Raises} ShapeError: If a dimension to drop is longer than one.
    {See Also} expand_dims
    {Examples}
    >>> dt.squeeze(dt.ones((1, 3, 1))).shape
    (3,)
    """
    return part(squeeze_tensor(asarray(a).node, axis))


@implements(np.expand_dims)
def expand_dims(a: ArrayLike, axis: int | Sequence[int] = 0) -> Array:
    """Insert dimensions of length one, as `numpy.expand_dims`.

    {Parameters}
        {a.array}
        axis: Places of the new dimensions in the result.
    {Returns} Array: The same cells in more dimensions.
    {Raises}
        AxisError: If a place is outside the result.
        ShapeError: If a place is named twice.
    {See Also} squeeze
    {Examples}
    >>> dt.expand_dims(dt.ones(3), (0, 2)).shape
    (1, 3, 1)
    """
    return part(unsqueeze(asarray(a).node, each_axis(axis)))
