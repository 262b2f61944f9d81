"""Structures of binary morphology: small NumPy arrays that say which cells are neighbours."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.amounts import integer
from dask_tapestry.arrays.ndimage.arguments import for_each, known_cells

__all__ = ["generate_binary_structure", "iterate_structure"]

Block = np.ndarray[Any, Any]


def generate_binary_structure(rank: int, connectivity: int) -> Block:
    """Return the neighbours of a cell, as `scipy.ndimage.generate_binary_structure`.

    {Parameters}
        rank: Number of dimensions.
        connectivity: Steps along different axes that a neighbour may be away, at least 1.
    {Returns} numpy.ndarray: Of bools, 3 cells along each axis: true for the cell in the middle and
        its neighbours.
    {Examples}
    >>> dt.ndimage.generate_binary_structure(2, 1).astype(int)
    array([[0, 1, 0],
           [1, 1, 1],
           [0, 1, 0]])
    """
    ndim = max(0, integer(rank))
    steps = np.zeros((3,) * ndim, int)
    for axis in range(ndim):
        away = np.array([1, 0, 1]).reshape([-1 if a == axis else 1 for a in range(ndim)])
        steps = steps + away
    return np.asarray(steps <= max(1, connectivity))


def iterate_structure(structure: ArrayLike, iterations: int, origin: Any = None) -> Any:
    """Return a structure dilated with itself, as `scipy.ndimage.iterate_structure`.

    {Parameters}
        structure: The cells that are true.
        iterations: How often it is applied; 1 and less for the structure itself.
        origin: Its origin, one for all axes or one each; None for none.
    {Returns} numpy.ndarray: Of bools; with an `origin` a pair of it and the origins that go with
        it.
    {Examples}
    >>> dt.ndimage.iterate_structure([1, 1, 1], 2).astype(int)
    array([1, 1, 1, 1, 1])
    """
    cells, times = known_cells("iterate_structure", "structure", structure), integer(iterations)
    if times < 2:
        return cells.copy()
    iterated = cells != 0
    for _ in range(times - 1):
        iterated = _minkowski_sum(iterated, cells != 0)
    if origin is None:
        return iterated
    origins = for_each("iterate_structure", "origin", origin, cells.ndim)
    return iterated, [times * one for one in origins]


def _minkowski_sum(structure: Block, cells: Block) -> Block:
    """The Minkowski sum: all sums of the coordinates of true cells, one from each array."""
    sides = [n + m - 1 for n, m in zip(structure.shape, cells.shape, strict=True)]
    sums = np.zeros(sides, bool)
    for place in product(*[range(n) for n in cells.shape]):
        if cells[place]:
            ways = zip(place, structure.shape, strict=True)
            sums[tuple([slice(at, at + n) for at, n in ways])] |= structure
    return sums
