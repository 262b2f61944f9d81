"""Cells that are taken in an order of their own: pieces of them may need far more between them."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

from dask_tapestry.steps.program import Program
from dask_tapestry.steps.tuning import REPEATED_WORK, SAMPLED_PIECES
from dask_tapestry.steps.windows import Line
from dask_tapestry.zspace import ZRange


def computes_again(program: Program, box: ZRange, dim: int, line: Line) -> bool:
    """Whether pieces along a dimension compute much of what they take cells from again.

    Cells that are taken in an order of their own may lie far apart: then pieces along other
    dimensions are made first.
    """
    if not takes_in_own_order(program):
        return False
    spans = list(pairwise(line))
    looked_at = spans[:: -(-len(spans) // SAMPLED_PIECES)]
    each = sum(_computed(program, box.replace(dim, *span)) for span in looked_at) / len(looked_at)
    return each * len(spans) > REPEATED_WORK * _computed(program, box)


def _computed(program: Program, box: ZRange) -> int:
    """Cells of all values that are computed for some of the output."""
    return sum([work.box.size for work in program.schedule(box).works])


@lru_cache(maxsize=1024)
def takes_in_own_order(program: Program) -> bool:
    """Whether a program takes cells that it computes in an order that only their places tell."""
    first = len(program.inputs)
    rules = [
        one.operator.regularity(one.types)
        for one in program.instructions
        if one.operator.is_selector and any(x >= first for x in one.inputs)
    ]
    return any(rule is None for own in rules for rule in own or ())
