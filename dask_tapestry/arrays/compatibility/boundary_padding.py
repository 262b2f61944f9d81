"""Boundary padding as public names of Dask's: `periodic`, `reflect`, `boundaries` of arrays."""

from __future__ import annotations

from collections.abc import Sequence

from numpy.typing import ArrayLike

from dask_tapestry.amounts import integer
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.axis_names import names_axes
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.declared_arguments import checked
from dask_tapestry.arrays.core.docstrings import write_out
from dask_tapestry.arrays.core.halos import Boundaries, Depth, Depths, halos
from dask_tapestry.arrays.overlap.neighbour_cells import continued, with_halos
from dask_tapestry.errors import ShapeError
from dask_tapestry.operators.layouts.nominal_chunks import with_nominal_chunks
from dask_tapestry.zspace import Cuts

__all__ = [
    "boundaries",
    "constant",
    "ensure_minimum_chunksize",
    "nearest",
    "overlap_internal",
    "periodic",
    "reflect",
]


@checked
def periodic(x: ArrayLike, axis: int, depth: Depth) -> Array:
    """Continue an array beyond both ends of an axis by the cells of the other end.

    {Parameters} {x, axis.one, depth}
    {Returns} Array: The longer array; what is added is a block of its own at each end.
    {Raises} ArgumentError: For a depth or an axis that does not fit.
    {See Also} boundaries, pad
    {Examples}
    >>> dt.overlap.periodic(dt.arange(4), 0, 1).compute()
    array([3, 0, 1, 2, 3, 0])
    """
    return boundaries(x, {axis: depth}, {axis: "periodic"})


@checked
def reflect(x: ArrayLike, axis: int, depth: Depth) -> Array:
    """Continue an array beyond both ends of an axis by its cells in reverse, edge cells first.

    {Parameters} {x, axis.one, depth}
    {Returns} Array: The longer array; what is added is a block of its own at each end.
    {Raises} ArgumentError: For a depth or an axis that does not fit.
    {See Also} boundaries, pad
    {Examples}
    >>> dt.overlap.reflect(dt.arange(4), 0, 2).compute()
    array([1, 0, 0, 1, 2, 3, 3, 2])
    """
    return boundaries(x, {axis: depth}, {axis: "reflect"})


@checked
def nearest(x: ArrayLike, axis: int, depth: Depth) -> Array:
    """Continue an array beyond both ends of an axis by its edge cells.

    {Parameters} {x, axis.one, depth}
    {Returns} Array: The longer array; what is added is a block of its own at each end.
    {Raises} ArgumentError: For a depth or an axis that does not fit.
    {See Also} boundaries, pad
    {Examples}
    >>> dt.overlap.nearest(dt.arange(3), 0, 2).compute()
    array([0, 0, 0, 1, 2, 2, 2])
    """
    return boundaries(x, {integer(axis): depth}, {axis: "nearest"})


@checked
def constant(x: ArrayLike, axis: int, depth: Depth, value: float) -> Array:
    """Continue an array beyond both ends of an axis by a number.

    {Parameters} {x, axis.one, depth, value.number}
    {Returns} Array: The longer array; what is added is a block of its own at each end.
    {Raises} ArgumentError: For a depth or an axis that does not fit.
    {See Also} boundaries, pad
    {Examples}
    >>> dt.overlap.constant(dt.arange(2), 0, 1, 9).compute()
    array([9, 0, 1, 9])
    """
    return boundaries(x, {integer(axis): depth}, {axis: value})


@names_axes
def boundaries(x: ArrayLike, depth: Depths = None, kind: Boundaries = None) -> Array:
    """Continue an array beyond its ends, as `overlap` does for the outer blocks.

    {Parameters}
        {x}
        depth: How many cells, as of `overlap`.
        kind: What lies there, as the boundary of `overlap`.
    {Returns} Array: The longer array; what is added is a block of its own at each end.
    {Raises} ArgumentError: For depths or boundaries that do not fit.
    {See Also} overlap, pad
    {Examples}
    >>> dt.overlap.boundaries(dt.arange(3), 1, "periodic").chunks
    ((1, 3, 1),)
    """
    extended = array = asarray(x)
    cuts = list(array.nominal_cuts)
    for axis, halo in enumerate(halos(array.ndim, depth, kind)):
        if halo.mode is not None:
            extended = continued(extended, axis, halo)
            lengths = (halo.before, *cuts[axis].lengths(), halo.after)
            cuts[axis] = Cuts.of_lengths([n for n in lengths if n] or [0])
    return Array(with_nominal_chunks(extended.node, tuple(cuts)))


@names_axes
def overlap_internal(x: ArrayLike, axes: Depths) -> Array:
    """Give every block cells of its neighbours, and the outer ones nothing beyond the array.

    {Parameters}
        x: The array, whose blocks are its nominal chunks.
        axes: How many cells, as the depth of `overlap`.
    {Returns} Array: The blocks side by side, each with what it sees.
    {Raises} ArgumentError: For depths that do not fit.
    {See Also} overlap, trim_internal
    {Examples}
    >>> dt.overlap.overlap_internal(dt.arange(4, chunks=2), {0: 1}).compute()
    array([0, 1, 2, 1, 2, 3])
    """
    array = asarray(x)
    return with_halos(array, halos(array.ndim, axes, "none"))


def ensure_minimum_chunksize(size: int, chunks: Sequence[int]) -> tuple[int, ...]:
    """Change lengths of blocks so that none is shorter than `size`.

    A short block takes cells of the one before it where that stays long enough, and else is joined
    to it. `map_overlap` does not need this here: blocks may see beyond their neighbours.

    {Parameters}
        size: The least length.
        chunks: The lengths along an axis.
    {Returns} tuple of int: Lengths with the same sum.
    {Raises} ShapeError: If all blocks together are shorter.
    {Examples}
    >>> dt.overlap.ensure_minimum_chunksize(10, (20, 2, 3, 12))
    (12, 13, 12)
    """
    sizes: list[int] = []
    short = 0  # cells at the beginning that wait for more
    for length in chunks:
        whole = short + length
        short = 0
        lack = size - whole
        if lack <= 0:
            sizes.append(whole)
        elif not sizes:
            short = whole
        elif sizes[-1] - lack >= size:
            sizes[-1] -= lack
            sizes.append(size)
        else:
            sizes[-1] += whole
    if short:
        raise ShapeError(f"the overlapping depth {size} is larger than an array of {short} cells")
    return tuple(sizes)


write_out(__name__)
