"""Blocks with cells of their neighbours, and without them again: `overlap`, `trim_overlap`."""

from __future__ import annotations

from collections.abc import Sequence

from numpy.typing import ArrayLike

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.axis_names import names_axes
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.declared_arguments import checked
from dask_tapestry.arrays.core.docstrings import write_out
from dask_tapestry.arrays.core.halos import Boundaries, Depths, halos
from dask_tapestry.arrays.overlap.neighbour_cells import with_halos, without_halos
from dask_tapestry.operators.joins.spans import Span

__all__ = ["overlap", "trim_internal", "trim_overlap"]


@checked
def overlap(
    x: ArrayLike,
    depth: Depths,
    boundary: Boundaries,
    *,
    allow_rechunk: bool = True,  # noqa: ARG001
) -> Array:
    """Give every block cells of its neighbours, as `dask.array.overlap.overlap`.

    {Parameters}
        x: The array, whose blocks are its nominal chunks.
        depth: How many cells: a number, one for each axis, or by axis; a pair of numbers is before
            and after.
        boundary: What lies beyond the array: ``"reflect"`` (the edge cell is repeated),
            ``"periodic"``, ``"nearest"``, a number, or ``"none"``: then the outer blocks have less.
        allow_rechunk: Without meaning: a block may see beyond its neighbours.
    {Returns} Array: The blocks side by side, each with what it sees.
    {Raises}
        ArgumentError: For depths or boundaries that do not fit.
        ShapeError: For a depth that is larger than the array.
    {See Also} trim_overlap, map_overlap
    {Examples}
    >>> x = dt.arange(4).rechunk(2)
    >>> dt.overlap.overlap(x, 1, "periodic").compute()
    array([3, 0, 1, 2, 1, 2, 3, 0])
    """
    array = asarray(x)
    return with_halos(array, halos(array.ndim, depth, boundary))


@names_axes
def trim_overlap(x: ArrayLike, depth: Depths, boundary: Boundaries = None) -> Array:
    """Take from every block what `overlap` gave it, as `dask.array.overlap.trim_overlap`.

    Blocks beside one that is shorter than the depth saw less of it where the boundary is
    ``"none"``, which cannot be told from the result; `map_overlap` knows it.

    {Parameters}
        {x}
        depth, boundary: As of `overlap`.
    {Returns} Array: The blocks side by side, without what they saw.
    {Raises} ShapeError: If a block has less than that.
    {See Also} overlap
    {Examples}
    >>> x = dt.arange(4).rechunk(2)
    >>> dt.overlap.trim_overlap(dt.overlap.overlap(x, 1, "periodic"), 1, "periodic").compute()
    array([0, 1, 2, 3])
    """
    array = asarray(x)
    halo_sides: list[Sequence[Span] | None] = []
    for cuts, halo in zip(array.nominal_cuts, halos(array.ndim, depth, boundary), strict=True):
        sides = [(halo.before, halo.after)] * cuts.count
        if halo.mode is None:
            sides[0] = 0, sides[0][1]
            sides[-1] = sides[-1][0], 0
        halo_sides.append(sides if halo.before or halo.after else None)
    return without_halos(array, halo_sides)


@names_axes
def trim_internal(x: ArrayLike, axes: Depths, boundary: Boundaries = None) -> Array:
    """Take from every block what `overlap` gave it: another name of `trim_overlap`.

    {Parameters}
        {x}
        axes: The depth of each axis.
        boundary: As of `overlap`.
    {Returns} Array: The blocks side by side, without what they saw.
    {Raises} ShapeError: If a block has less than that.
    {See Also} overlap
    {Examples}
    >>> x = dt.overlap.overlap(dt.arange(4).rechunk(2), 1, "none")
    >>> dt.overlap.trim_internal(x, {0: 1}).compute()
    array([0, 1, 2, 3])
    """
    return trim_overlap(x, axes, boundary)


write_out(__name__)
