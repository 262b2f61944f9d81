"""Typical blocks of a grid: those by which it is priced, with the share that each stands for.

The largest block stands for all where all are computed alike. Where values of several kinds are
joined it does not: a stack of a held value and of eleven computed ones costs next to nothing in one
block, and a search that looked at this one alone would hold whatever is joined there. So blocks of
all parts are looked at: of blocks that lie alike along the dimensions in which values are joined,
the largest one. Nor does it where cells are sought that lie anywhere, as the days of a season: some
blocks read no day of it. Those that read some are one kind, and the one that reads nearly what they
do in the mean stands for them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from math import gcd
from typing import NamedTuple

from dask_tapestry.planner.tuning import (
    FEW_NODES,
    FEWEST_SAMPLES,
    SAMPLE_BLOCKS,
    SAMPLED_WHOLE,
    WANING,
)
from dask_tapestry.steps.access_strides import moves_along, neighbours
from dask_tapestry.steps.program import Instruction, Program
from dask_tapestry.teg import Source
from dask_tapestry.zspace import Cuts, ZRange, largest_box

Sizes = tuple[tuple[int, ...], ...]  # of the boxes that a block has of each value


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
    return _typical_blocks(program, tuple(cuts))


@lru_cache(maxsize=4096)  # counted, and priced by what a grid takes at least, then by all it takes
def _typical_blocks(program: Program, cuts: tuple[Cuts, ...]) -> tuple[TypicalBlock, ...]:
    if all(own.count == 1 for own in cuts):
        return (TypicalBlock(largest_box(cuts), 1.0),)
    uneven = tuple(sorted({*joining_dims(program), *seeking_dims(program)}))
    if any(cuts[dim].count > 1 for dim in uneven):
        return _of_each_kind(program, cuts, uneven)
    return _with_last_ones(program, cuts)


def boxes_read(program: Program, box: ZRange) -> int:
    """Boxes that the operators of a block read: as many as whoever follows it looks at."""
    return sum([len(work.reads) for work in program.schedule(box).works])


def _with_last_ones(program: Program, cuts: Sequence[Cuts]) -> tuple[TypicalBlock, ...]:
    """The largest block, and where blocks are few along waning dimensions the last ones there."""
    largest = largest_block(program, cuts)
    if not any(1 < own.count <= FEW_NODES for own in cuts):  # so nobody asks which ones wane
        return (TypicalBlock(largest, 1.0),)
    few = [d for d in waning_dims(program) if 1 < cuts[d].count <= FEW_NODES]
    blocks = [TypicalBlock(largest, 1.0)]
    for dim in few:
        last, part = cuts[dim].block(cuts[dim].count - 1), 1 / cuts[dim].count
        blocks = [
            one
            for box, share in blocks
            for one in (
                TypicalBlock(box, share * (1 - part)),
                TypicalBlock(box.replace(dim, *last), share * part),
            )
        ]
    return tuple(blocks)


def largest_block(program: Program, cuts: Sequence[Cuts]) -> ZRange:
    """The box of a block of the largest size, which takes as much as others of that size.

    The last node of a fold may be of few cells: no block at such an end stands for the others.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> from dask_tapestry.operators.reductions.tree_reduction import in_nodes
    >>> from dask_tapestry.planner.fusion.group import group_of
    >>> x = dt.placeholder((30, 1025), "f8", stored_chunks=(30, 64))
    >>> nodes = in_nodes(x.sum(axis=1).node, 0).inputs[0]
    >>> cuts = (Cuts.regular(30, 30), Cuts.regular(2, 1))
    >>> print(largest_block(group_of(nodes, set()).program, cuts), largest_box(cuts))
    [0:30, 0:1] [0:30, 1:2]
    """
    return _largest_block(program, tuple(cuts))


@lru_cache(maxsize=4096)
def _largest_block(program: Program, cuts: tuple[Cuts, ...]) -> ZRange:
    box = largest_box(cuts)
    last = [dim for dim, own in enumerate(cuts) if own.count > 1 and box.hi[dim] == own.extent]
    waning = [dim for dim in last if dim in waning_dims(program)]
    if not waning:
        return box
    spans = list(zip(box.lo, box.hi, strict=True))
    for dim in waning:
        before = max(0, cuts[dim].count - 2)
        spans[dim] = max(map(cuts[dim].block, (before, 0)), key=lambda span: span[1] - span[0])
    return ZRange([lo for lo, _ in spans], [hi for _, hi in spans])


@lru_cache(maxsize=1024)
def waning_dims(program: Program) -> frozenset[int]:
    """Dimensions along which the last cells need much less than the first ones."""
    shape = program.type.shape
    if 0 in shape:
        return frozenset()

    def cells(boxes: Sequence[Sequence[ZRange]]) -> int:
        return sum(box.size for value in boxes for box in value)

    def wanes(dim: int) -> bool:
        first, last = neighbours(program, dim, distance=shape[dim] - 1)
        return cells(last) < WANING * cells(first)

    return frozenset(dim for dim, extent in enumerate(shape) if extent > 1 and wanes(dim))


@lru_cache(maxsize=1024)
def joining_dims(program: Program) -> tuple[int, ...]:
    """Dimensions along which some cells come from one value and others from one of another kind."""
    if not any(len(i.inputs) > 1 and not i.operator.is_formula for i in program.instructions):
        return ()
    kinds: list[object] = [("input",)] * len(program.inputs)
    joins = list[tuple[int, list[int]]]()
    for one in program.instructions:
        own = [kinds[value] for value in one.inputs]
        if len(set(own)) > 1 and (axes := _joined_axes(one)):
            joins.append((len(kinds), axes))
        chunks = one.operator.chunks if isinstance(one.operator, Source) else None
        kinds.append(hash((one.operator.name, one.type.dtype.itemsize, chunks, *own)))
    shape = program.type.shape
    long = [dim for dim, extent in enumerate(shape) if extent > 1] if 0 not in shape else []
    return tuple(
        [dim for dim in long if joins and moves_along(program, dim, joins, shape[dim] - 1)]
    )


@lru_cache(maxsize=1024)
def seeking_dims(program: Program) -> tuple[int, ...]:
    """Dimensions along which stored cells are sought that lie anywhere: blocks read unevenly.

    Cells of a fold that a step computes itself are not: it reads all that it folds for each block.
    """
    first, shape = len(program.inputs), program.type.shape
    stored, sought = set[int](), list[tuple[int, list[int]]]()
    for at, one in enumerate(program.instructions, start=first):
        if isinstance(one.operator, Source):
            stored |= set() if one.operator.external else {at}
        elif stored.intersection(one.inputs):
            stored |= {at} if one.operator.transparent else set()
            rules = one.operator.regularity(one.types) or ()
            if axes := [axis for axis, rule in enumerate(rules) if rule is None]:
                sought.append((at, axes))
    if not sought or 0 in shape:
        return ()
    long = [dim for dim, extent in enumerate(shape) if extent > 1]
    return tuple([dim for dim in long if moves_along(program, dim, sought, shape[dim] - 1)])


def _joined_axes(instruction: Instruction) -> list[int]:
    """Axes along which cells come from one input, and further on from another one."""
    rules = instruction.operator.regularity(instruction.types) or ()
    found = [(axis, rule) for axis, rule in enumerate(rules) if rule is not None and rule.breaks]
    return [axis for axis, rule in found if _joins(instruction, axis, rule.breaks)]


def _joins(instruction: Instruction, axis: int, breaks: Sequence[int]) -> bool:
    """Whether cells behind a break are of other inputs than those before, or of other parts.

    Where the last node of a fold, or the last part of a product, has less of all, none are joined.
    """
    whole = instruction.type.box

    def cells_read(at: int) -> Counter[int]:
        cells = Counter[int]()
        box = whole.replace(axis, at, at + 1)
        for number, need in instruction.operator.pieces(instruction.types, box):
            cells[number] += need.size
        return cells

    def differ(at: int) -> bool:
        before, behind = cells_read(at - 1), cells_read(at)
        times = before.total(), behind.total()
        return any(before[n] * times[1] != behind[n] * times[0] for n in before | behind)

    return any(differ(at) for at in breaks if 0 < at < instruction.type.shape[axis])


def _of_each_kind(
    program: Program, cuts: Sequence[Cuts], uneven: tuple[int, ...]
) -> tuple[TypicalBlock, ...]:
    largest = largest_block(program, cuts)
    found = list[TypicalBlock]()
    for number, share in _kinds(program, tuple([cuts[dim] for dim in uneven]), uneven):
        box = largest
        for dim, at in zip(uneven, number, strict=True):
            box = box.replace(dim, *cuts[dim].block(at))
        found.append(TypicalBlock(box, share))
    return tuple(found)


@lru_cache(maxsize=1024)  # grids that differ along other dimensions alone have the same kinds
def _kinds(
    program: Program, cuts: tuple[Cuts, ...], uneven: tuple[int, ...]
) -> tuple[tuple[tuple[int, ...], float], ...]:
    """A block of each kind, by its numbers along uneven dimensions that have these `cuts`.

    With it the share of all blocks that it stands for. Along other dimensions blocks are whole.
    """
    counts = Counter[Sizes]()
    numbers: dict[Sizes, tuple[int, ...]] = {}
    boxes = max(1, boxes_read(program, program.type.box))
    few = max(FEWEST_SAMPLES, SAMPLE_BLOCKS * SAMPLED_WHOLE // boxes)

    def kind_of(number: tuple[int, ...]) -> Sizes:
        box = program.type.box
        for dim, own, at in zip(uneven, cuts, number, strict=True):
            box = box.replace(dim, *own.block(at))
        return tuple([tuple([b.size for b in value]) for value in program.schedule(box).boxes])

    sample = Counter(_sample(cuts, min(SAMPLE_BLOCKS, few)))
    for number, kind in _kinds_of(list(sample), kind_of, is_long=few == FEWEST_SAMPLES):
        counts[kind] += sample[number]
        numbers.setdefault(kind, number)
    total = counts.total()
    merged = len(counts) > FEW_NODES and seeking_dims(program)
    kinds = _alike(counts) if merged else counts.items()
    return tuple([(numbers[kind], n / total) for kind, n in kinds])


def _kinds_of(
    numbers: Sequence[tuple[int, ...]],
    kind_of: Callable[[tuple[int, ...]], Sizes],
    is_long: bool,
) -> Iterator[tuple[tuple[int, ...], Sizes]]:
    """Blocks, by their numbers, each with its kind.

    Where it `is_long` until one is known, and the second, the middle and the last one are alike, so
    are those between: the first one alone lies at an edge along all dimensions.
    """
    at = {1, len(numbers) // 2, len(numbers) - 1}
    inner = {kind_of(numbers[n]) for n in at} if is_long and len(numbers) > len(at) else set()
    if len(inner) != 1:
        yield from ((number, kind_of(number)) for number in numbers)
        return
    (kind,) = inner
    yield numbers[0], kind_of(numbers[0])
    yield from ((number, kind) for number in numbers[1:])


def _alike(counts: Counter[Sizes]) -> list[tuple[Sizes, int]]:
    """Kinds that stand for those which lack the same values, and how many blocks each stands for.

    Of each group the one whose blocks have most nearly as many cells as those of all in the mean.
    """
    groups: dict[tuple[bool, ...], list[Sizes]] = {}
    for kind in counts:
        groups.setdefault(tuple([any(value) for value in kind]), []).append(kind)

    def cells(kind: Sizes) -> int:
        return sum(map(sum, kind))

    found = list[tuple[Sizes, int]]()
    for kinds in groups.values():
        times = sum(counts[kind] for kind in kinds)
        mean = sum(cells(kind) * counts[kind] for kind in kinds) / times
        found.append((min(kinds, key=lambda kind: abs(cells(kind) - mean)), times))
    return found


def _sample(cuts: Sequence[Cuts], number: int) -> list[tuple[int, ...]]:
    """Numbers of some blocks that lie evenly along each dimension, in another order along each.

    All blocks of a row where there are few, each as often.
    """
    longest = max(own.count for own in cuts)
    rows = number // longest * longest or number
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
