"""Cells of a lattice within a block: those of stored data that are folded to a node each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any, NamedTuple


class LatticeCell(NamedTuple):
    """A cell of a tree's lattice.

    Attributes
    ----------
    place
        Its number along each reduced axis, of those in the block.
    cut
        Its cells in the block, along the reduced axes.
    tree
        The tree over them.
    """

    place: tuple[int, ...]
    cut: tuple[slice, ...]
    tree: Any


def node_numbers(tree: Any, origin: Sequence[int]) -> list[int]:
    """Numbers, along each reduced axis, of the nodes at level 0 that begin at `origin`."""
    spaced = zip(origin, tree.offset, tree.sides(0), strict=True)
    return [(at - start) // side for at, start, side in spaced]


def node_counts(shape: Sequence[int], tree: Any, origin: Sequence[int]) -> tuple[int, ...]:
    """Numbers of nodes at level 0 along each reduced axis of a block that begins at `origin`."""
    ends = [at + n for at, n in zip(origin, shape, strict=True)]
    spaced = zip(ends, tree.offset, tree.sides(0), node_numbers(tree, origin), strict=True)
    return tuple([-(-(end - start) // side) - first for end, start, side, first in spaced])


def lattice_cells(shape: Sequence[int], tree: Any, origin: Sequence[int]) -> Iterator[LatticeCell]:
    """The cells of a tree's lattice in a block with these extents of its reduced axes."""
    counted = zip(node_numbers(tree, origin), node_counts(shape, tree, origin), strict=True)
    spans = [
        [tree.span(0, axis, first + number) for number in range(count)]
        for axis, (first, count) in enumerate(counted)
    ]
    for place in product(*[range(len(along)) for along in spans]):
        ends = [along[number] for along, number in zip(spans, place, strict=True)]
        cut = tuple([slice(a - at, b - at) for (a, b), at in zip(ends, origin, strict=True)])
        inner = tree.inner(tuple([b - a for a, b in ends]))
        yield LatticeCell(place, cut, inner)
