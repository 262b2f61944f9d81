"""Contractions: operators that can be computed in parts of a dimension they fold (split-K)."""

from __future__ import annotations

from abc import abstractmethod
from typing import Final

from dask_tapestry.teg import BlockOperator, Form, Node, Tensor, apply
from dask_tapestry.teg.operator import Types, signature_of

MOST_HALVINGS: Final = 14  # of the folded dimension: 16,384 parts


class Contraction(BlockOperator):
    """A block operator that can yield partial results along a new leading dimension.

    Where cutting parallel dimensions reads too much or gives too few blocks, it may be computed in
    parts. Parts need all rows at once, so nothing streams through them.

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

    def forms(self, inputs: Types) -> tuple[Form, ...]:
        """Partial results over parts of the folded dimension, then their sum.

        Source: Tapestry whitepaper, "Sharding Linear over in": Prod, Sum and Add.
        """
        dim = self.folded(inputs)
        terms = 0 if dim is None else signature_of(self, inputs).index[dim].extent
        counts = [1 << i for i in range(1, MOST_HALVINGS + 1) if 1 << i <= terms]
        sizes = dict.fromkeys(-(-terms // count) for count in counts)
        return (Form("parts", tuple(sizes), in_parts),) if sizes else ()


def in_parts(node: Node, part: int) -> Node:
    """``contraction(x, w) -> combine(contraction(x, w) in parts)``."""
    whole = node.operator
    assert isinstance(whole, Contraction)
    parts = apply(whole.in_parts(part), *node.inputs, after=node.after, line=node.line or "")
    return whole.combine(parts)
