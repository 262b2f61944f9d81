"""Contractions: operators that can be computed in parts of a dimension they fold (split-K)."""

from __future__ import annotations

from abc import abstractmethod

from dask_tapestry.teg import BlockOperator, Tensor
from dask_tapestry.teg.operator import Types


class Contraction(BlockOperator):
    """A block operator that can yield partial results along a new leading dimension.

    Where cutting parallel dimensions reads too much or gives too few blocks, as its signature
    tells, the planner computes it in parts.

    Source: Tapestry whitepaper, "Sharding Linear over in".
    """

    @abstractmethod
    def folded(self, inputs: Types) -> int | None:
        """Index dimension that parts cut; None for what has none, or yields parts itself."""

    @abstractmethod
    def in_parts(self, part: int) -> BlockOperator:
        """The operator that yields one partial result for each `part` steps of that dimension."""

    @abstractmethod
    def combine(self, parts: Tensor) -> Tensor:
        """The whole result from partial ones along the leading dimension."""
