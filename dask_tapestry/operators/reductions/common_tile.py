"""Common tiles: boxes of cells in which the nodes of several reductions end together.

Reductions of one array over different axes have trees of their own. A *tile* is a box whose sides
are, along each axis, whole nodes of all reductions that fold the axis, so that a block of whole
tiles computes whole nodes of each of them from cells that it reads once. An axis that none folds
has tiles of one cell; one of which a node of some reduction has all cells has one tile, in which
nodes of others need not end together.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import lcm, prod
from typing import NamedTuple

from dask_tapestry.cells import Tree
from dask_tapestry.cells.lattice import Lattice
from dask_tapestry.operators.tuning import LONGEST_TILE, MOST_TILE_BYTES, NODES_OF_TILE_SHARE


class FoldedAxes(NamedTuple):
    """The axes that a reduction folds, and its tree over them."""

    axes: tuple[int, ...]
    tree: Tree


class NodesOfTile(NamedTuple):
    """How nodes lie in tiles along an axis: `width` in each, the first of all after `lead`."""

    width: int
    lead: int


def common_tile(shape: tuple[int, ...], folds: Sequence[FoldedAxes]) -> Lattice | None:
    """The tiles of an array of this shape; None where they would be much longer than nodes.

    Examples
    --------
    >>> columns, rows, all_cells = (
    ...     FoldedAxes(axes, Tree(tuple((5000, 3000)[axis] for axis in axes)))
    ...     for axes in ((0,), (1,), (0, 1))
    ... )
    >>> common_tile((5000, 3000), [columns, rows, all_cells])
    Lattice(sides=(1024, 1024), offset=(0, 0))
    >>> common_tile((5000, 3000), [columns, columns])
    Lattice(sides=(1024, 1), offset=(0, 0))
    """
    spans = [_common_side(n, axis, folds) for axis, n in enumerate(shape)]
    known = [span for span in spans if span is not None]
    if len(known) < len(spans):
        return None
    return Lattice(tuple([side for side, _ in known]), tuple([start for _, start in known]))


def _common_side(n: int, axis: int, folds: Sequence[FoldedAxes]) -> tuple[int, int] | None:
    """Side of a tile along an axis, and where the first begins."""
    nodes, whole = set[tuple[int, int]](), False
    for fold in folds:
        if axis in fold.axes:
            at = fold.axes.index(axis)
            nodes.add((fold.tree.sides(0)[at], fold.tree.offset[at]))
            whole = whole or fold.tree.counts(0)[at] == 1
    if whole:
        return n, 0
    side, start = lcm(*[s for s, _ in nodes]), min([o for _, o in nodes], default=0)
    longest = LONGEST_TILE * max([s for s, _ in nodes], default=1)
    if side + start < n and side <= longest and not any((o - start) % s for s, o in nodes):
        return side, start
    return (n, 0) if n <= longest else None


def lengthened_tile(
    shape: tuple[int, ...],
    tile: Lattice,
    folds: Sequence[FoldedAxes],
    cell_bytes: int,
    node_bytes: Sequence[int],
) -> Lattice:
    """Tiles that are longer where nodes take nearly as much as the cells that they are made of.

    A store of large maps, a step of time each, has nodes along time of a few steps, and as many
    as a map has cells. Several of them end where a longer tile does.

    Parameters
    ----------
    cell_bytes
        Of a cell of all inputs.
    node_bytes
        Of a node of each fold.

    Examples
    --------
    >>> time = FoldedAxes((0,), Tree((200,), lattice=Lattice((4,), (0,))))
    >>> maps = FoldedAxes((1,), Tree((10**6,), lattice=Lattice((10**5,), (0,))))
    >>> lengthened_tile((200, 10**6), Lattice((4, 10**5), (0, 0)), [time, maps], 5, [8, 8])
    Lattice(sides=(8, 100000), offset=(0, 0))
    """
    while True:
        levels = [highest_level(fold, shape, tile) for fold in folds]
        taken = [
            each * prod([nodes.width for nodes in nodes_of_tile(fold, level, shape, tile)])
            for each, fold, level in zip(node_bytes, folds, levels, strict=True)
        ]
        cells = cell_bytes * prod(tile.sides)
        if sum(taken) <= NODES_OF_TILE_SHARE * cells or 2 * cells > MOST_TILE_BYTES:
            return tile
        largest = taken.index(max(taken))
        axis = folds[largest].axes[folds[largest].tree.axis(levels[largest])]
        side, start = tile.sides[axis], tile.offset[axis]
        if side + start >= shape[axis]:
            return tile
        whole = 2 * side + start >= shape[axis]
        span = (shape[axis], 0) if whole else (2 * side, start)
        tile = Lattice(*[(*s[:axis], n, *s[axis + 1 :]) for s, n in zip(tile, span, strict=True)])


def tiles_along(shape: tuple[int, ...], tile: Lattice) -> tuple[int, ...]:
    """Number of tiles along each axis of an array."""
    spaced = zip(shape, tile.sides, tile.offset, strict=True)
    return tuple([-(-(n - start) // side) for n, side, start in spaced])


def highest_level(fold: FoldedAxes, shape: tuple[int, ...], tile: Lattice) -> int:
    """The highest level of a reduction's tree whose nodes lie within tiles.

    Examples
    --------
    >>> whole = FoldedAxes((0, 1), Tree((5000, 3000)))
    >>> highest_level(whole, (5000, 3000), Lattice((1024, 1024), (0, 0)))
    10
    """
    level = 0
    while level < fold.tree.depth and _lie_in_tiles(fold, level + 1, shape, tile):
        level += 1
    return level


def _lie_in_tiles(fold: FoldedAxes, level: int, shape: tuple[int, ...], tile: Lattice) -> bool:
    return all(_nodes_along(fold, level, axis, shape, tile) for axis in fold.axes)


def nodes_of_tile(
    fold: FoldedAxes, level: int, shape: tuple[int, ...], tile: Lattice
) -> tuple[NodesOfTile, ...]:
    """How nodes at a level lie in tiles, along each axis of the array; kept cells as nodes of one.

    Examples
    --------
    >>> fold = FoldedAxes((0,), Tree((5000,), lattice=Lattice((500,), (-300,))))
    >>> nodes_of_tile(fold, 0, (5000, 7), Lattice((1000, 7), (-800, 0)))
    (NodesOfTile(width=2, lead=1), NodesOfTile(width=7, lead=0))
    """
    tile_nodes = []
    for axis, (side, start) in enumerate(zip(tile.sides, tile.offset, strict=True)):
        nodes = NodesOfTile(side, -start)
        if axis in fold.axes:
            folded = _nodes_along(fold, level, axis, shape, tile)
            assert folded is not None
            nodes = folded
        tile_nodes.append(nodes)
    return tuple(tile_nodes)


def _nodes_along(
    fold: FoldedAxes, level: int, axis: int, shape: tuple[int, ...], tile: Lattice
) -> NodesOfTile | None:
    """... along a folded axis; None where a node lies in several tiles."""
    at = fold.axes.index(axis)
    side, start = tile.sides[axis], tile.offset[axis]
    if side + start >= shape[axis]:
        return NodesOfTile(fold.tree.counts(level)[at], 0)
    own, begin = fold.tree.sides(level)[at], fold.tree.offset[at]
    if side % own or (begin - start) % own:
        return None
    return NodesOfTile(side // own, (begin - start) // own)
