"""Distinct slices: how many tasks cut parts of held blocks, each for all that need its part.

Where boxes cannot share a part of a block they are counted by kinds of overlaps. Where they may, as
windows that hold a block between them, the parts are listed: along each axis, or all of them where
boxes of several patterns meet.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import product
from math import prod
from typing import NamedTuple

from dask_tapestry.planner.access.access import UncountableError
from dask_tapestry.planner.access.overlaps import (
    Kinds,
    Overlap,
    block_overlaps_of,
    combined,
    groups_of,
    parts_on_axis,
)
from dask_tapestry.planner.access.pattern import Pattern, Steps
from dask_tapestry.planner.access.pattern_pairs import PatternPairs
from dask_tapestry.planner.access.read_counts import ReadCount
from dask_tapestry.planner.tuning import MOST_PLACES, SLICE_SAVES_BYTES
from dask_tapestry.zspace import Cuts, ZRange, block_box

Part = tuple[tuple[int, int, int], ...]
"""Number of a block along each axis, and where the part of it begins and ends."""
Ends = tuple[int, ...]


class _BlockPart(NamedTuple):
    """A part of a block along some axes, its cells, and those of the block."""

    part: Part
    cells: int
    held: int


def distinct_slices(shares: Sequence[ReadCount], cuts: tuple[Cuts, ...], itemsize: int) -> int:
    """Number of different parts of blocks, cut by `cuts`, that the boxes of patterns need.

    A part is cut where that saves enough bytes; parts of one block are different unless equal.
    """
    full = [s.pattern for s in shares if not s.pattern.box.is_empty and not s.inside]
    gone = [s for s in shares if s.inside and s.inside + s.times == 0]
    shortest = [_shortest(c) for c in cuts]
    pairs = PatternPairs(full)
    if gone or not all(pairs.are_apart(n, shortest) for n in range(len(full))):
        found = _listed(full, gone, cuts, itemsize)
    else:
        found = sum(_counted(p, cuts, shortest, itemsize) for p in full)
    first = block_box(cuts, (0,) * len(cuts))
    empty = {first.intersection(p.box) for p in [s.pattern for s in shares] if p.box.is_empty}
    return found + (len(empty) if first.size * itemsize >= SLICE_SAVES_BYTES else 0)


def _listed(
    patterns: Sequence[Pattern], unread: Sequence[ReadCount], cuts: tuple[Cuts, ...], itemsize: int
) -> int:
    """Number of the parts of all boxes, but those of patterns that no block reads after all."""
    met = sum(prod([sum(g.kinds.values()) for g in block_overlaps_of(p, cuts)]) for p in patterns)
    if met > MOST_PLACES:
        raise UncountableError(f"{met} parts of blocks that may be equal")
    boxes = set[ZRange]()
    for pattern in patterns:
        less = {box for share in unread if share.whole == pattern for box in share.pattern.boxes()}
        boxes.update(box for box in pattern.boxes() if box not in less)
    return _number_of_parts(boxes, cuts, itemsize)


def _number_of_parts(boxes: Iterable[ZRange], cuts: tuple[Cuts, ...], itemsize: int) -> int:
    """How many different slices of blocks boxes need.

    Most boxes lie alike along most axes: what they have along the first axis is joined for each
    part along the others, and counted by kinds.
    """
    along: dict[tuple[Ends, Ends], set[tuple[Ends, Ends]]] = {}
    for box in boxes:
        along.setdefault((box.lo[1:], box.hi[1:]), set()).add((box.lo[:1], box.hi[:1]))
    numbers: dict[frozenset[tuple[Ends, Ends]], int] = {}
    # for each part along the other axes, the numbers of the sets of parts that it is read with
    numbers_of: dict[_BlockPart, set[int]] = {}
    for others, spans in along.items():
        number = numbers.setdefault(frozenset(spans), len(numbers))
        for part in _parts(*others, cuts[1:]):
            numbers_of.setdefault(part, set()).add(number)
    alike: Counter[tuple[frozenset[int], int, int]] = Counter()
    for part, some in numbers_of.items():
        alike[frozenset(some), part.cells, part.held] += 1
    parts = [set[_BlockPart]().union(*[_parts(*e, cuts[:1]) for e in ends]) for ends in numbers]

    @cache
    def kinds(some: frozenset[int]) -> Counter[tuple[int, int]]:
        joined = set[_BlockPart]().union(*[parts[number] for number in some])
        return Counter((part.cells, part.held) for part in joined)

    return sum(
        times * count
        for (some, cells, held), times in alike.items()
        for (own, whole), count in kinds(some).items()
        if (held * whole - cells * own) * itemsize >= SLICE_SAVES_BYTES
    )


def _parts(lo: Ends, hi: Ends, cuts: tuple[Cuts, ...]) -> Iterator[_BlockPart]:
    """The parts of blocks in a box along some axes."""
    along = [list(parts_on_axis(c, a, b)) for c, a, b in zip(cuts, lo, hi, strict=True)]
    for parts in product(*along):
        part = tuple([(number, a, b) for number, a, b, _ in parts])
        cells, held = prod([b - a for _, a, b in part]), prod([length for *_, length in parts])
        yield _BlockPart(part, cells, held)


def _counted(
    pattern: Pattern, cuts: tuple[Cuts, ...], shortest: Sequence[int], itemsize: int
) -> int:
    """Number of different slices that the boxes of one pattern need.

    Along axes that move together different parts are listed where boxes may share one.
    """
    by_axis = []
    for (axes, steps), lying in zip(
        groups_of(pattern), block_overlaps_of(pattern, cuts), strict=True
    ):
        if _have_no_part_twice(pattern, axes, steps, shortest):
            by_axis.append(lying.kinds)
        else:
            by_axis.append(_different(pattern, axes, steps, cuts))
    kinds = combined(by_axis).items()
    return sum(n for (part, held), n in kinds if (held - part) * itemsize >= SLICE_SAVES_BYTES)


def _different(
    pattern: Pattern, axes: Sequence[int], steps: Sequence[int], cuts: tuple[Cuts, ...]
) -> Kinds:
    """The different parts of blocks along some axes, by their kinds."""
    lo, hi = ([corner[a] for a in axes] for corner in (pattern.box.lo, pattern.box.hi))
    moves = [tuple([pattern.steps[n].shift[a] for a in axes]) for n in steps]
    own = Pattern(
        ZRange(lo, hi),
        tuple([Steps(m, pattern.steps[n].places) for m, n in zip(moves, steps, strict=True)]),
    )
    if own.places > MOST_PLACES:
        raise UncountableError(f"{own.places} boxes that may share parts of blocks")
    parts: dict[Part, Overlap] = {}
    for box in own.boxes():
        spans = zip([cuts[a] for a in axes], box.lo, box.hi, strict=True)
        for found in product(*[list(parts_on_axis(*span)) for span in spans]):
            key = tuple([(number, a, b) for number, a, b, _ in found])
            part, held = (prod(n) for n in zip(*[(b - a, n) for _, a, b, n in found], strict=True))
            parts[key] = Overlap(part, held)
    return Counter(parts.values())


def _shortest(cuts: Cuts) -> int:
    if cuts.edges:
        return min(cuts.lengths())
    ends = cuts.block(0), cuts.block(cuts.count - 1)
    return min(b - a for a, b in ends)


def _have_no_part_twice(
    pattern: Pattern, axes: Sequence[int], steps: Sequence[int], shortest: Sequence[int]
) -> bool:
    """Whether no two boxes of a pattern can have the same part of a block along some axes."""
    if len(steps) != 1:
        return not steps
    shift = pattern.steps[steps[0]].shift
    return any(pattern.box.shape[a] - abs(shift[a]) < shortest[a] for a in axes)
