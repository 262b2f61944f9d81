"""Folds of a tree over a lattice: its cells one by one, merged as soon as two neighbours are there.

So few nodes are in memory at a time, however many cells a block has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby, product
from math import prod
from typing import Any, NamedTuple, TypeVar

import numpy as np

Place = tuple[int, ...]
Node = TypeVar("Node")


class LatticeCell(NamedTuple):
    """A cell of a tree's lattice.

    Attributes
    ----------
    cut
        Its cells in the block, along the reduced axes.
    tree
        The tree over them.
    """

    cut: tuple[slice, ...]
    tree: Any


class Counts(NamedTuple):
    """Numbers of cells that two neighbours stand for."""

    left: int
    right: int


class CellRun(NamedTuple):
    """Cells of a tree's lattice of one size, side by side along each reduced axis.

    Attributes
    ----------
    cut, place
        Their cells in the block, along the reduced axes, and their nodes among the block's.
    counts
        How many there are along each axis.
    tree
        The tree over one.
    """

    cut: tuple[slice, ...]
    place: tuple[slice, ...]
    counts: Place
    tree: Any

    def running_numbers(self, extents: Sequence[int]) -> np.ndarray[Any, Any]:
        """How far each begins from the first, in running numbers over all cells."""
        far = np.zeros(self.counts, np.int64)
        for axis, (count, side) in enumerate(zip(self.counts, self.tree.extents, strict=True)):
            steps = np.arange(count) * (side * prod(extents[axis + 1 :]))
            far += steps.reshape([-1 if a == axis else 1 for a in range(len(extents))])
        return far


def runs_of_cells(tree: Any, origin: Sequence[int], shape: Sequence[int]) -> list[CellRun]:
    """The cells of the lattice of a block, which ends where they do, by their sizes."""
    first, counts = node_numbers(tree, 0, origin), node_counts(tree, 0, origin, shape)
    along = []
    for axis, (number, count, at) in enumerate(zip(first, counts, origin, strict=True)):
        spans = [tree.span(0, axis, number + n) for n in range(count)]
        pairs = [(n, low - at, high - low) for n, (low, high) in enumerate(spans)]
        along.append([list(run) for _, run in groupby(pairs, key=lambda pair: pair[2])])
    cell_runs = []
    for runs in product(*along):
        cut = tuple([slice(run[0][1], run[-1][1] + run[-1][2]) for run in runs])
        place = tuple([slice(run[0][0], run[-1][0] + 1) for run in runs])
        inner = tree.inner(tuple([run[0][2] for run in runs]))
        cell_runs.append(CellRun(cut, place, tuple(map(len, runs)), inner))
    return cell_runs


def node_numbers(tree: Any, level: int, origin: Sequence[int]) -> Place:
    """Numbers, along each reduced axis, of the node at `level` that begins at `origin`."""
    spaced = zip(origin, tree.offset, tree.sides(level), strict=True)
    return tuple([(at - start) // side for at, start, side in spaced])


def node_counts(tree: Any, level: int, origin: Sequence[int], shape: Sequence[int]) -> Place:
    """Numbers of nodes at `level` along each reduced axis of a block that begins at `origin`."""
    ends = [at + n for at, n in zip(origin, shape, strict=True)]
    first = node_numbers(tree, level, origin)
    spaced = zip(ends, tree.offset, tree.sides(level), first, strict=True)
    return tuple([-(-(end - start) // side) - number for end, start, side, number in spaced])


def folded_nodes(
    tree: Any,
    level: int,
    origin: Sequence[int],
    shape: Sequence[int],
    fold: Callable[[LatticeCell], Node],
    merge: Callable[[Node, Node, Counts], Node],
) -> Iterator[tuple[Place, Node]]:
    """The nodes at `level` of a block, with their places among them.

    Parameters
    ----------
    tree
        The canonical tree, which has a lattice.
    origin, shape
        Where the block begins along the reduced axes, and its extents; it ends where nodes do.
    fold
        Folds a cell of the lattice to its node.
    merge
        Combines a node and its right neighbour.
    """

    # A function that named itself would keep the blocks until garbage is collected.
    def node(level: int, number: Place, node: Any) -> Node:
        if level == 0:
            return fold(lattice_cell(tree, origin, number))
        left, *others = joined_nodes(tree, level, number)
        first: Node = node(level - 1, left, node)
        if not others:
            return first
        (right,) = others
        counts = Counts(_cells_of(tree, level - 1, left), _cells_of(tree, level - 1, right))
        return merge(first, node(level - 1, right, node), counts)

    first = node_numbers(tree, level, origin)
    for place in product(*map(range, node_counts(tree, level, origin, shape))):
        yield place, node(level, tuple([a + b for a, b in zip(first, place, strict=True)]), node)


def joined_nodes(tree: Any, level: int, number: Place) -> list[Place]:
    """Numbers of the nodes, at the level before, that become one at `level`: two, or the last."""
    axis = tree.axis(level - 1)
    both = [(*number[:axis], 2 * number[axis] + n, *number[axis + 1 :]) for n in (0, 1)]
    return both if both[1][axis] < tree.counts(level - 1)[axis] else both[:1]


def lattice_cell(tree: Any, origin: Sequence[int], number: Place) -> LatticeCell:
    """The cell of a lattice with this number, in a block that begins at `origin`."""
    spans = [tree.span(0, axis, at) for axis, at in enumerate(number)]
    cut = tuple([slice(a - at, b - at) for (a, b), at in zip(spans, origin, strict=True)])
    return LatticeCell(cut, tree.inner(tuple([b - a for a, b in spans])))


def _cells_of(tree: Any, level: int, number: Place) -> int:
    """Cells that a node stands for."""
    cells = 1
    for axis, at in enumerate(number):
        low, high = tree.span(level, axis, at)
        cells *= high - low
    return cells
