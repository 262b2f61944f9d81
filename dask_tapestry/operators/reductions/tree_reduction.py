"""The contract of operators that fold their input in the order of a canonical tree.

Such an operator can be cut along the axes it folds: parts compute nodes of the tree, others combine
nodes further, and the last one yields the value.

Source: Tapestry whitepaper, "Reduction Operations": partial reductions over blocks of the reduction
dimension, and a second stage that completes them.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import fields
from functools import cached_property, lru_cache
from math import prod
from typing import Any

from dask_tapestry.cells import LEAF_CELLS, Spaced, Tree, lattice_of
from dask_tapestry.cells.tuning import LEAST_FOLDED_CELLS
from dask_tapestry.operators.forms import a_dozen, stand_in
from dask_tapestry.teg import BlockOperator, Form, Merging, Split, Tensor, Turns, apply
from dask_tapestry.teg.operator import Types
from dask_tapestry.teg.stored_grid import spaced, stored_cuts
from dask_tapestry.zspace import Cuts


class TreeReduction(BlockOperator):
    """An operator that folds `axes` of its first input in the order of `tree`.

    Attributes
    ----------
    axes
        The folded axes of the first input.
    tree
        The canonical tree over them.
    is_whole
        Whether it takes cells and yields the value.
    source
        Level of the nodes that it takes; None for cells.
    target
        Level of the nodes that it yields; None for the value.
    """

    clips = True
    hands_fields = True
    repeats = True
    axes: tuple[int, ...]
    tree: Tree
    source: int | None = None
    target: int | None = None

    def forms(self, inputs: Types) -> tuple[Form, ...]:
        """A fold that yields the value can be divided at each level, by its number of nodes."""
        levels = levels_above(self.tree, self.source) if self.target is None else ()
        return (Form("nodes", levels, in_nodes),) if levels else ()

    def turns(self, inputs: Types) -> Turns | None:
        """Nodes of any level between, of which those of a piece are folded at a time."""
        last = self.tree.depth if self.target is None else self.target
        first = 0 if self.source is None else self.source + 1
        return Turns(tuple(range(last - 1, first - 1, -1)), self._split, self._merging)

    def _split(self, level: int) -> Split:
        return Split(self._part(self.source, level), self._part(level, self.target))

    def _merging(self, level: int) -> Merging | None:
        """How nodes of a level are merged that lie one after the other along one axis."""
        last = self.tree.depth if self.target is None else self.target
        if self.target is not None or not self.merges_freely:
            last -= 1  # the last two are merged by what completes them
        along = [axis for axis, n in zip(self.axes, self.tree.counts(level), strict=True) if n > 1]
        if len(along) != 1 or level >= last:
            return None
        pairs = tuple([self._part(below, below + 1) for below in range(level, last)])
        first = self._part(self.source, level)
        return Merging(self._split(last), first, pairs, along[0], self.merges_freely)

    @property
    def merges_freely(self) -> bool:
        """Whether neighbouring nodes may be merged in whatever order, to the same bits."""
        return False

    @property
    def is_whole(self) -> bool:
        """Whether it takes cells and yields the value."""
        return self.source is None and self.target is None

    @cached_property
    def _known_parts(self) -> dict[tuple[int | None, int | None], BlockOperator]:
        """Those that were made: each block that is priced asks for them."""
        return {}

    def _part(self, source: int | None, target: int | None) -> BlockOperator:
        """A part, made once."""
        known = self._known_parts.get((source, target))
        if known is None:
            known = self._known_parts[source, target] = self.part(source, target)
        return known

    def __getstate__(self) -> dict[str, Any]:
        """Its parameters alone: texts hash anew elsewhere, and what is known is found again."""
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]

    @abstractmethod
    def part(self, source: int | None, target: int | None) -> BlockOperator:
        """The operator from level `source`, None for cells, to level `target`, None for the value.

        A part from cells takes what the whole takes; others take the nodes of the part before.
        """


class ReductionOfFold(TreeReduction):
    """An operator that folds as another reduction does, its `fold`."""

    fold: Any

    @property
    def axes(self) -> tuple[int, ...]:  # type: ignore[override]
        """The folded axes."""
        axes: tuple[int, ...] = self.fold.axes
        return axes

    @property
    def tree(self) -> Tree:  # type: ignore[override]
        """The canonical tree over them."""
        tree: Tree = self.fold.tree
        return tree

    @property
    def source(self) -> int | None:  # type: ignore[override]
        """Level of the nodes that it takes."""
        source: int | None = self.fold.source
        return source

    @property
    def target(self) -> int | None:  # type: ignore[override]
        """Level of the nodes that it yields."""
        target: int | None = self.fold.target
        return target


def tree_over(
    x: Tensor,
    axes: Sequence[int],
    leaf: int = LEAF_CELLS,
    least: int = LEAST_FOLDED_CELLS,
) -> Tree:
    """The canonical tree over axes of a tensor, along the grid in which its data is stored.

    A node of stored data stands for `least` cells at least, and for a leaf of `leaf` cells where
    these are more than usual.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> x = dt.placeholder((14_000, 14_000), "f8", stored_chunks=(2000, 2000))
    >>> tree_over(x[500:].node, (0,)).lattice
    Lattice(sides=(2000,), offset=(-500,))
    """
    shape = x.type.shape
    extents = tuple([shape[axis] for axis in axes])
    cuts = stored_cuts(x)
    if not any(cuts):
        return Tree(extents, leaf)
    chunks = [None if own is None else spaced(own) or Spaced(own.longest) for own in cuts]
    beside = prod([_longest(cuts[d], n) for d, n in enumerate(shape) if d not in axes])
    least = max(least, leaf) if leaf > LEAF_CELLS else least
    return Tree(extents, leaf, lattice_of(extents, [chunks[a] for a in axes], beside, least))


def _longest(cuts: Cuts | None, extent: int) -> int:
    """Cells of the longest chunk along an axis: all, if it was made of axes that are read whole."""
    return max(1, extent if cuts is None else cuts.longest)


@lru_cache(maxsize=1024)
def levels_above(tree: Tree, source: int | None) -> tuple[int, ...]:
    """Levels of a tree above `source` (None: cells) with more than one node, the highest first.

    Of levels with as many nodes the first one; some of them, where they are very many.

    Examples
    --------
    >>> levels_above(Tree((10_000,)), None), levels_above(Tree((10_000,)), 1)
    ((3, 2, 1, 0), (3, 2))
    """
    first = 0 if source is None else source + 1
    nodes = 0 if source is None else prod(tree.counts(source))
    levels = []
    for level in range(first, tree.depth):
        count = prod(tree.counts(level))
        if count != nodes:
            levels.append(level)
        nodes = count
    return a_dozen(levels[::-1])


@stand_in
def in_nodes(node: Tensor, level: int) -> Tensor:
    """``reduce(x) -> reduce from level t(reduce to level t(x))``."""
    whole = node.operator
    assert isinstance(whole, TreeReduction)
    nodes = apply(whole.part(whole.source, level), *node.inputs)
    return apply(whole.part(level, None), nodes)
