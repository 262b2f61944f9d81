"""The contract of operators that fold their input in the order of a canonical tree.

Such an operator can be cut along the axes it folds: parts compute nodes of the tree, others combine
nodes further, and the last one yields the value. Planner and rules know no more of it.
"""

from __future__ import annotations

from abc import abstractmethod

from dask_tapestry.cells import Tree
from dask_tapestry.teg import BlockOperator


class TreeReduction(BlockOperator):
    """An operator that folds `axes` of its first input in the order of `tree`.

    Attributes
    ----------
    axes
        The folded axes of the first input.
    tree
        The canonical tree over them.
    is_whole
        Whether it takes cells and yields the value; a part is not cut again.
    """

    axes: tuple[int, ...]

    @property
    @abstractmethod
    def tree(self) -> Tree:
        """The canonical tree over the folded axes."""

    @property
    @abstractmethod
    def is_whole(self) -> bool:
        """Whether it takes cells and yields the value."""

    @abstractmethod
    def part(self, source: int | None, target: int | None) -> BlockOperator:
        """The operator from level `source`, None for cells, to level `target`, None for the value.

        A part from cells takes what the whole takes; others take the nodes of the part before.
        """
