"""Broadcasting: dimensions of length one repeated without a copy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.dispatch import implements
from dask_tapestry.arrays.core.layout_arguments import takes_chunks
from dask_tapestry.arrays.core.shape_arguments import Shape, shape_of
from dask_tapestry.operators.broadcast_shapes import broadcast_shape
from dask_tapestry.operators.layouts.nominal_chunks import with_nominal_chunks
from dask_tapestry.operators.views.broadcast import broadcast
from dask_tapestry.teg import Tensor
from dask_tapestry.teg.chunking import common_chunks
from dask_tapestry.teg.nominal import nominal_chunks, nominal_cuts
from dask_tapestry.zspace import Cuts

__all__ = ["broadcast_arrays", "broadcast_shapes", "broadcast_to"]


@implements(np.broadcast_to)
@takes_chunks
def broadcast_to(array: ArrayLike, shape: Shape, subok: bool = False) -> Array:
    """Repeat dimensions of length one, and new leading ones, without a copy.

    {Parameters}
        array: The array.
        shape: Shape of the result.
        subok: As NumPy's, without effect.
    {Returns} Array: Of shape `shape`, in the dtype of `array`.
    {Raises} ShapeError: If the array does not broadcast to `shape`.
    {See Also} broadcast_arrays
    {Examples}
    >>> dt.broadcast_to(dt.arange(2), (2, 2)).compute()
    array([[0, 1],
           [0, 1]])
    """
    del subok
    return Array(broadcast(asarray(array).node, shape_of(shape)))


@implements(np.broadcast_arrays)
def broadcast_arrays(*arrays: ArrayLike, subok: bool = False) -> tuple[Array, ...]:
    """Broadcast arrays against each other, as `numpy.broadcast_arrays`.

    {Parameters}
        *arrays: The arrays.
        subok: As NumPy's, without effect.
    {Returns} tuple of Array: The arrays in one shape and the same chunks, each in its own dtype.
    {Raises} ShapeError: If the shapes do not broadcast.
    {See Also} broadcast_to
    {Examples}
    >>> [x.shape for x in dt.broadcast_arrays(dt.ones(3), dt.ones((2, 1)))]
    [(2, 3), (2, 3)]
    """
    del subok
    nodes = [asarray(x).node for x in arrays]
    shape = broadcast_shape([n.type.shape for n in nodes] or [()], "arrays")
    made = [broadcast(n, shape) for n in nodes]
    shared = _shared_cuts(nodes, len(shape))
    return tuple(
        Array(n if shared is None or nominal_cuts(n) == shared else with_nominal_chunks(n, shared))
        for n in made
    )


def _shared_cuts(nodes: Sequence[Tensor], ndim: int) -> tuple[Cuts, ...] | None:
    """Nominal chunks of several arrays together; None where there would be too many."""
    found = []
    for axis in range(1, ndim + 1):
        along = [nominal_chunks(n)[-axis] for n in nodes if n.type.ndim >= axis]
        long = [one for one in along if one.cuts.extent != 1] or along[:1]
        found.append(common_chunks(long))
    cuts = [one.cuts for one in reversed(found) if one is not None]
    return tuple(cuts) if len(cuts) == ndim else None


def broadcast_shapes(*shapes: Shape) -> tuple[int, ...]:
    """Return the shape that all `shapes` broadcast to, as `numpy.broadcast_shapes`.

    {Parameters} *shapes: The shapes.
    {Returns} tuple of int: The common shape, ``()`` of none.
    {Raises} ShapeError: If there is none.
    {Examples}
    >>> dt.broadcast_shapes((3, 1), 4, ())
    (3, 4)
    """
    return broadcast_shape([shape_of(shape) for shape in shapes] or [()], "shapes")
