"""Scattered reads: each block needs parts of a value that lie far from each other.

A block of ``x + x.T`` reads a part of x beside the diagonal and its mirror image. A block of x is
freed when both of its readers have ended, of which one may be the first and one the last of all.
Where the parts are whole blocks, few readers share each of them, and Dask runs these together.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import product

from dask_tapestry.planner.cost.footprint import met_blocks
from dask_tapestry.planner.cost.step import Step
from dask_tapestry.planner.tuning import NEAR_RATIO, SAMPLED_BLOCKS
from dask_tapestry.steps.program import Program
from dask_tapestry.steps.windows import hull_of
from dask_tapestry.zspace import Cuts, ZRange

Index = tuple[int, ...]


def reads_far_apart(reader: Step, step: Step) -> bool:
    """Whether most blocks of `reader` need pieces of blocks of `step` that lie far apart.

    A few blocks alone may: those of a rolled value where its ends meet.
    """
    return _far(reader.program, reader.cuts, reader.inputs.index(step.node), step.cuts)


@lru_cache(maxsize=2**15)
def _far(program: Program, cuts: tuple[Cuts, ...], at: int, read: tuple[Cuts, ...]) -> bool:
    if len(_parts(program, cuts, at, _scattered_block(cuts))) < 2:
        return False
    samples = [_parts(program, cuts, at, index) for index in _samples(cuts)]
    far = sum(_is_far(parts, read) and not _are_blocks(parts, read) for parts in samples)
    return 2 * far > len(samples)


def _scattered_block(cuts: Sequence[Cuts]) -> Index:
    """A block whose places along all dimensions differ."""
    return tuple([c.count * (2 * n + 1) // (2 * len(cuts)) for n, c in enumerate(cuts)])


def _samples(cuts: Sequence[Cuts]) -> list[Index]:
    """Blocks spread over a grid, not at its edges."""
    each = SAMPLED_BLOCKS.get(sum(c.count > 1 for c in cuts), 2)
    places = [sorted({c.count * (2 * n + 1) // (2 * each) for n in range(each)}) for c in cuts]
    return list(product(*places))


def _parts(program: Program, cuts: Sequence[Cuts], at: int, index: Index) -> list[ZRange]:
    """The boxes of an input that a block needs."""
    edges = [c.block(n) for c, n in zip(cuts, index, strict=True)]
    box = ZRange(tuple([lo for lo, _ in edges]), tuple([hi for _, hi in edges]))
    return [part for part in program.input_boxes(box)[at] if not part.is_empty]


def _is_far(parts: Sequence[ZRange], read: Sequence[Cuts]) -> bool:
    """Whether the box around parts meets many more blocks than they do."""
    around = hull_of(parts)
    if around is None or len(parts) < 2:
        return False
    near = NEAR_RATIO * sum(met_blocks(part, read) for part in parts) + 2 ** len(read)
    return bool(met_blocks(around, read) > near)


def _are_blocks(parts: Sequence[ZRange], read: Sequence[Cuts]) -> bool:
    """Whether parts begin and end where blocks do."""
    return all(
        c.has_edge(lo) and c.has_edge(hi)
        for part in parts
        for c, lo, hi in zip(read, part.lo, part.hi, strict=True)
    )
