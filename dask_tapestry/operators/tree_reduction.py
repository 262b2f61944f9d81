"""The contract of operators that fold their input in the order of a canonical tree.

Such an operator can be cut along the axes it folds: parts compute nodes of the tree, others combine
nodes further, and the last one yields the value. Planner and rules know no more of it.
"""

from __future__ import annotations

from abc import abstractmethod

from dask_tapestry.cells import Tree
from dask_tapestry.teg import BlockOperator, Form, Node, apply
from dask_tapestry.teg.operator import Types


class TreeReduction(BlockOperator):
    """An operator that folds `axes` of its first input in the order of `tree`.

    Attributes
    ----------
    axes
        The folded axes of the first input.
    tree
        The canonical tree over them.
    level
        Level of the tree that it takes nodes of; None where it takes cells.
    is_last
        Whether it yields the value, not nodes.
    """

    axes: tuple[int, ...]

    @property
    @abstractmethod
    def tree(self) -> Tree:
        """The canonical tree over the folded axes."""

    @property
    @abstractmethod
    def level(self) -> int | None:
        """Level of the tree that it takes nodes of; None where it takes cells."""

    @property
    @abstractmethod
    def is_last(self) -> bool:
        """Whether it yields the value, not nodes."""

    @property
    def is_whole(self) -> bool:
        """Whether it takes cells and yields the value."""
        return self.level is None and self.is_last

    @abstractmethod
    def part(self, source: int | None, target: int | None) -> BlockOperator:
        """The operator from level `source`, None for cells, to level `target`, None for the value.

        A part from cells takes what the whole takes; others take the nodes of the part before.
        """

    def forms(self, inputs: Types) -> tuple[Form, ...]:
        """Nodes of a level first, then the rest of the tree, which may be parted again.

        Source: Tapestry whitepaper, "Reduction Operations": partial reductions over blocks of the
        reduction dimension, and a second stage that completes them.
        """
        lowest = 0 if self.level is None else self.level + 1
        if not self.is_last or self.tree.depth <= lowest or not inputs[0].size:
            return ()
        return (Form("nodes", tuple(range(self.tree.depth - 1, lowest - 1, -1)), in_nodes),)


def in_nodes(node: Node, level: int) -> Node:
    """``reduce(x) -> reduce from level t(reduce to level t(x))``."""
    whole = node.operator
    assert isinstance(whole, TreeReduction)
    line = node.line or ""
    first = whole.part(whole.level, level)
    nodes = apply(first, *node.inputs, after=node.after, line=line)
    return apply(whole.part(level, None), nodes, line=line)
