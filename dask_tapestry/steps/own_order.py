"""Cells that are taken in an order of their own: pieces of them may need far more between them."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

from dask_tapestry.steps.access_strides import moves_along
from dask_tapestry.steps.program import Program
from dask_tapestry.steps.tuning import REPEATED_WORK, SAMPLED_PIECES
from dask_tapestry.steps.window import Line
from dask_tapestry.zspace import ZRange


def computes_again(program: Program, box: ZRange, dim: int, line: Line) -> bool:
    """Whether pieces along a dimension compute much of what they take cells from again.

    Cells that are taken in an order of their own may lie far apart: then pieces along other
    dimensions are made first.
    """
    if dim not in dims_in_own_order(program.anywhere):
        return False
    spans = list(pairwise(line))
    looked_at = spans[:: -(-len(spans) // SAMPLED_PIECES)]
    each = sum(_computed(program, box.replace(dim, *span)) for span in looked_at) / len(looked_at)
    return each * len(spans) > REPEATED_WORK * _computed(program, box)


def _computed(program: Program, box: ZRange) -> int:
    """Cells of all values that are computed for some of the output."""
    return sum([work.box.size for work in program.schedule(box).works])


@lru_cache(maxsize=1024)
def dims_in_own_order(program: Program) -> frozenset[int]:
    """Dimensions along which cells are computed that are taken in an order only their places tell.

    Pieces along others take all of these.
    """
    first, shape = len(program.inputs), program.type.shape
    taken = list[tuple[int, list[int]]]()
    for value, one in enumerate(program.instructions, start=first):
        if one.operator.is_selector and any(x >= first for x in one.inputs):
            rules = one.operator.regularity(one.types) or ()
            taken.append((value, [axis for axis, rule in enumerate(rules) if rule is None]))
    taken = [(value, axes) for value, axes in taken if axes]
    long = [dim for dim, n in enumerate(shape) if n > 1] if taken and 0 not in shape else []
    return frozenset(
        dim
        for dim in long
        if any(moves_along(program, dim, taken, n) for n in (shape[dim] // 2, shape[dim] - 1))
    )
