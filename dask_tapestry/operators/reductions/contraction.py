"""Contractions: operators that can be computed in parts of a dimension they fold (split-K)."""

from __future__ import annotations

from abc import abstractmethod

from dask_tapestry.operators.forms import stand_in
from dask_tapestry.operators.tuning import MOST_FORM_SIZES
from dask_tapestry.teg import BlockOperator, Form, Tensor, apply
from dask_tapestry.teg.operator import Formats, Types, signature_of
from dask_tapestry_kernels.block_format import BlockFormat


class Contraction(BlockOperator):
    """A block operator that can yield partial results along a new leading dimension.

    So it has a form in parts, for where cutting parallel dimensions reads too much or gives too few
    blocks.

    Source: Tapestry whitepaper, "Sharding Linear over in".
    """

    def forms(self, inputs: Types) -> tuple[Form, ...]:
        dim = self.folded(inputs)
        if dim is None:
            return ()
        terms = signature_of(self, inputs).index[dim].extent
        counts = [1 << i for i in range(1, MOST_FORM_SIZES + 1)]
        sizes = tuple(dict.fromkeys(-(-terms // n) for n in counts if n <= terms))
        return (Form("parts", sizes, in_parts),) if sizes else ()

    def format_of(self, inputs: Types, formats: Formats) -> BlockFormat | None:
        """The format of the inputs, as sums of products of mostly zeros are mostly 0 too."""
        whole = None not in formats and self.folded(inputs) is not None
        return formats[0].filled(0) if whole and formats[0] is not None else None

    @abstractmethod
    def folded(self, inputs: Types) -> int | None:
        """Index dimension that parts cut; None for what has none, or yields parts itself."""

    @abstractmethod
    def in_parts(self, part: int) -> BlockOperator:
        """The operator that yields one partial result for each `part` steps of that dimension."""

    @abstractmethod
    def combine(self, parts: Tensor) -> Tensor:
        """The whole result from partial ones along the leading dimension."""


@stand_in
def in_parts(node: Tensor, part: int) -> Tensor:
    """``contraction(x, w) -> combine(contraction(x, w) in parts)``."""
    whole = node.operator
    assert isinstance(whole, Contraction)
    return whole.combine(apply(whole.in_parts(part), *node.inputs))
