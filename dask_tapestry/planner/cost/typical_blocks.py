"""Typical blocks of a grid: those by which it is priced, with the share that each stands for.

The largest block stands for all where all are computed alike. Where values of several kinds are
joined it does not: a stack of a held value and of eleven computed ones costs next to nothing in one
block, and a search that looked at this one alone would hold whatever is joined there. So blocks of
all parts are looked at.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from math import gcd
from typing import NamedTuple

from dask_tapestry.planner.tuning import SAMPLE_BLOCKS
from dask_tapestry.steps.program import Program
from dask_tapestry.teg.regularity import Regularity
from dask_tapestry.zspace import Cuts, ZRange, block_box, largest_box


class TypicalBlock(NamedTuple):
    """A block, and the share of all blocks that are like it."""

    box: ZRange
    share: float


def typical_blocks(program: Program, cuts: Sequence[Cuts]) -> tuple[TypicalBlock, ...]:
    """Blocks that stand for all of a grid: one of each kind that a sample of them shows.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> from dask_tapestry.planner.fusion.group import group_of
    >>> x = dt.placeholder((900, 1000), "f8", stored_chunks=(100, 1000))
    >>> program = group_of(dt.concatenate([dt.zeros((2700, 1000)), x]).node, set()).program
    >>> cuts = (Cuts.regular(3600, 100), Cuts.regular(1000, 1000))
    >>> [(str(box), share) for box, share in typical_blocks(program, cuts)]
    [('[0:100, 0:1000]', 0.75), ('[2700:2800, 0:1000]', 0.25)]
    """
    if joins_unlike_values(program) and any(own.count > 1 for own in cuts):
        return _of_each_kind(program, tuple(cuts))
    return (TypicalBlock(largest_box(cuts), 1.0),)


@lru_cache(maxsize=1024)
def joins_unlike_values(program: Program) -> bool:
    """Whether an operator takes some cells from one input and others from one of another kind."""
    if not any(len(i.inputs) > 1 and not i.operator.is_formula for i in program.instructions):
        return False
    kinds: list[object] = [("input",)] * len(program.inputs)
    for one in program.instructions:
        own = [kinds[value] for value in one.inputs]
        if len(set(own)) > 1 and _joins(one.operator.regularity(one.types)):
            return True
        kinds.append(hash((one.operator.name, one.type.dtype.itemsize, *own)))
    return False


def _joins(rules: Regularity | None) -> bool:
    return any(rule is not None and bool(rule.breaks) for rule in rules or ())


@lru_cache(maxsize=1024)
def _of_each_kind(program: Program, cuts: tuple[Cuts, ...]) -> tuple[TypicalBlock, ...]:
    counts = Counter[tuple[tuple[int, ...], ...]]()
    boxes: dict[tuple[tuple[int, ...], ...], ZRange] = {}
    for number, times in Counter(_sample(cuts)).items():
        box = block_box(cuts, number)
        kind = tuple(tuple(b.size for b in value) for value in program.schedule(box).boxes)
        counts[kind] += times
        boxes.setdefault(kind, box)
    total = counts.total()
    return tuple(TypicalBlock(boxes[kind], n / total) for kind, n in counts.items())


def _sample(cuts: Sequence[Cuts]) -> list[tuple[int, ...]]:
    """Numbers of blocks that lie evenly along each dimension, in another order along each.

    All blocks of a row where there are few, each as often.
    """
    longest = max(own.count for own in cuts)
    rows = SAMPLE_BLOCKS // longest * longest or SAMPLE_BLOCKS
    return [
        tuple(_turned(n, dim, rows) * own.count // rows for dim, own in enumerate(cuts))
        for n in range(rows)
    ]


def _turned(number: int, dim: int, rows: int) -> int:
    """A number of `rows`, at another place of an order of them for each dimension."""
    step = 2 * dim + 1
    while gcd(step, rows) > 1:
        step += 1
    return number * step % rows
