"""Stored bytes: what all blocks of a step read from stores, whole chunks each.

Along an axis of a source that one dimension of the output moves, the blocks read intervals that
are shifted by so many cells from block to block; of those, whole chunks count. So the bytes of all
blocks are those of one, times a ratio for each dimension: the work grows with the number of
dimensions, not of blocks. Where cells are sought that lie anywhere, it is the number of blocks.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import prod
from typing import NamedTuple

from dask_tapestry.planner.cost.typical_blocks import seeking_dims
from dask_tapestry.planner.tuning import ROW_BLOCKS_COUNTED
from dask_tapestry.steps.chunk_alignment import computed_together
from dask_tapestry.steps.program import Program
from dask_tapestry.teg import Source
from dask_tapestry.zspace import Cuts, ZRange, block_box


class _Shift(NamedTuple):
    """How reads move with the output: `apart` steps along `dim` move `axis` of a source."""

    dim: int
    axis: int
    cells: int
    apart: int


class _SourceReads(NamedTuple):
    """A stored source of a program.

    Attributes
    ----------
    value
        Its number.
    operator, shape
        The source itself, and its extents.
    shifts
        How steps of the program's output move each box of it.
    everything
        The boxes of it that all of the output needs.
    kind
        The number of the first source that is stored alike, and whose boxes move alike.
    """

    value: int
    operator: Source
    shape: tuple[int, ...]
    shifts: tuple[tuple[_Shift, ...], ...]
    everything: tuple[ZRange, ...]
    kind: int


class _Span(NamedTuple):
    """What one block reads of an axis, which `apart` steps of a dimension move by so many cells.

    What is read as a whole lies by `cuts`. All blocks in a row read `covered` cells at least.
    """

    lo: int
    hi: int
    cells: int
    apart: int
    cuts: Cuts
    covered: int

    def moved(self, steps: int) -> int:
        """The number of cells by which so many steps move the read."""
        return self.cells * steps // self.apart

    def reach(self, longer: int) -> int:
        """Cells that a block reads which is so many steps longer."""
        return max(1, self.hi - self.lo + abs(self.cells) * longer // self.apart)


def stored_bytes(program: Program, cuts: Sequence[Cuts], box: ZRange) -> float:
    """Bytes that all blocks of a grid read from stores, if that of the cells `box` is usual.

    Sources that are alike and of which alike boxes are read, as the files of a stack, are looked at
    once.
    """
    schedule, seeking = program.schedule(box), seeking_dims(program)
    total = 0.0
    known: dict[object, float] = {}
    for source in _sources(program):
        reads, own_box = schedule.boxes[source.value], box
        elsewhere = cuts and not seeking
        if elsewhere and len(reads) < len(source.shifts):  # on a diagonal, where boxes are one
            own_box = block_box(cuts, (0,) * (len(cuts) - 1) + (cuts[-1].count - 1,))
            reads = program.schedule(own_box).boxes[source.value]
        key = source.kind, reads, own_box is box
        if key not in known:
            known[key] = _bytes_of(source, reads, cuts, own_box, seeking)
        total += known[key] * program.asked_shares.get(source.value, 1.0)
    return total


def _bytes_of(
    source: _SourceReads,
    reads: Sequence[ZRange],
    cuts: Sequence[Cuts],
    box: ZRange,
    seeking: Sequence[int],
) -> float:
    """Bytes that all blocks read of a source, of which that of the cells `box` needs `reads`.

    Along `seeking` dimensions each reads elsewhere.
    """
    operator, shifts, everything = source.operator, source.shifts, source.everything
    parts = operator.read_cuts or tuple([Cuts.regular(n, 1) for n in source.shape])
    all_read = len(everything) == len(reads)
    apart = prod([cuts[dim].count for dim in seeking])
    cut_dims = [(d, cut) for d, cut in enumerate(cuts) if cut.count > 1 and d not in seeking]
    known: dict[object, float] = {}
    total = 0.0
    for number, need in enumerate(reads):
        own = _own_shifts(shifts, number, len(reads))
        times = float(apart)
        for dim, cut in cut_dims:
            spans = tuple(
                [
                    _Span(
                        *(need.lo[axis], need.hi[axis], cells, steps, parts[axis]),
                        covered=_covered(own, everything[number], axis) if all_read else 0,
                    )
                    for other, axis, cells, steps in own
                    if other == dim
                ]
            )
            if (dim, spans) not in known:
                length = box.hi[dim] - box.lo[dim]
                known[dim, spans] = _times(cut, box.lo[dim], length, spans)
            times *= known[dim, spans]
        total += operator.stored_bytes(need) * times
    return total


@lru_cache(maxsize=4096)
def _own_shifts(
    shifts: tuple[tuple[_Shift, ...], ...], number: int, count: int
) -> tuple[_Shift, ...]:
    """How the box of a number, of `count` that a block reads, moves.

    As the one of that number, if they are as many as those of a cell; as all of these do, where
    boxes are one; of boxes that lie apart, and move each by another way, as the one about there.
    """
    if len(shifts) == count:
        return shifts[number]
    together = tuple(dict.fromkeys([shift for own in shifts for shift in own]))
    ways = {(shift.dim, shift.axis) for shift in together}
    return together if len(ways) == len(together) else shifts[number * len(shifts) // count]


def _covered(shifts: Sequence[_Shift], everything: ZRange, axis: int) -> int:
    """Cells of an axis that blocks in a row read together; 0 if it takes several dimensions."""
    alone = sum(shift.axis == axis for shift in shifts) == 1
    return everything.hi[axis] - everything.lo[axis] if alone else 0


@lru_cache(maxsize=4096)  # grids differ along one dimension: along the others blocks read the same
def _times(cut: Cuts, start: int, length: int, spans: tuple[_Span, ...]) -> float:
    """How often the blocks in a row read the chunks that the one from `start` reads."""
    if not spans:
        return cut.count
    usual = 1
    for span in spans:
        usual *= _whole(span.lo, max(1, span.hi - span.lo), span.cuts)
    found = _of_alike(cut, start, length, spans) or _of_each(cut, start, length, spans)
    covered = spans[0].covered if len(spans) == 1 else 0  # of more, a diagonal may be read
    return max(sum(found), covered) / usual


def _of_each(cut: Cuts, start: int, length: int, spans: tuple[_Span, ...]) -> list[float]:
    """Cells of the chunks that blocks in a row read, each times how many it stands for."""
    blocks = _representative_blocks(cut)
    cells = [1] * len(blocks)
    for lo, hi, pace, apart, parts, _ in spans:
        extent, chunk = parts.extent, parts.step
        is_grid = not parts.edges and parts.lead == chunk
        for at, (first, end, _) in enumerate(blocks):
            reach = max(1, hi - lo + abs(pace) * (end - first - length) // apart)
            begin = lo + pace * (first - start) // apart
            begin = max(0, min(begin, extent - reach))
            if is_grid:  # `_whole` of what is moved, written out
                stop = -(-(begin + reach) // chunk) * chunk
                cells[at] *= (stop if stop < extent else extent) - begin // chunk * chunk
            else:
                cells[at] *= _whole(begin, reach, parts)
    return [n * own for own, (_, _, n) in zip(cells, blocks, strict=True)]


def _of_alike(cut: Cuts, start: int, length: int, spans: tuple[_Span, ...]) -> list[float] | None:
    """The bytes read if all blocks but the first and last read equally many; None if they may not.

    They do where a block moves what is read by whole chunks.
    """
    count, step = cut.count, cut.step
    if cut.edges or count < 4 or any(span.cuts.edges for span in spans):
        return None
    (_, lead), (last, extent) = cut.block(0), cut.block(count - 1)
    inner = 1
    for span in spans:
        one, other = span.lo + span.moved(lead - start), span.lo + span.moved(last - step - start)
        reach = span.reach(step - length)
        whole = not span.cells * step % (span.apart * span.cuts.step)
        if not whole or min(one, other) < 0 or max(one, other) + reach > span.cuts.extent:
            return None
        inner *= _whole(one, reach, span.cuts)
    ends = [_of_one(a, b, start, length, spans) for a, b in ((0, lead), (last, extent))]
    looked_at = min(count - 2, ROW_BLOCKS_COUNTED)
    return [ends[0], *[(count - 2) / looked_at * inner] * looked_at, ends[1]]


def _of_one(first: int, end: int, start: int, length: int, spans: tuple[_Span, ...]) -> int:
    """Cells of the chunks that one block reads."""
    cells = 1
    for span in spans:
        reach = span.reach(end - first - length)
        cells *= _whole(span.lo + span.moved(first - start), reach, span.cuts)
    return cells


def _whole(lo: int, length: int, cuts: Cuts) -> int:
    """Cells of the chunks of an axis that hold ``[lo, lo + length)``, moved inside."""
    if lo + length > cuts.extent:
        lo = cuts.extent - length
    if lo < 0:  # a step is not the same everywhere in a reshape
        lo = 0
    begin, end = cuts.whole(lo, min(lo + length, cuts.extent))
    return end - begin


@lru_cache(maxsize=1024)  # all sources are read along the same dimensions
def _representative_blocks(cut: Cuts) -> tuple[tuple[int, int, float], ...]:
    """Blocks in a row, each with how many it stands for."""
    count = cut.count
    if count <= ROW_BLOCKS_COUNTED + 2:
        return tuple([(*cut.block(number), 1) for number in range(count)])
    inner = count - 2
    between = [1 + n * inner // ROW_BLOCKS_COUNTED for n in range(ROW_BLOCKS_COUNTED)]
    middle = [(*cut.block(number), inner / ROW_BLOCKS_COUNTED) for number in between]
    return ((*cut.block(0), 1), *middle, (*cut.block(count - 1), 1))


@lru_cache(maxsize=1024)
def _sources(program: Program) -> tuple[_SourceReads, ...]:
    """The stored sources of a program, and what is read of them."""
    first, shape = len(program.inputs), program.type.shape
    values = [
        value
        for value, instruction in enumerate(program.instructions, start=first)
        if isinstance(instruction.operator, Source)
    ]
    if not values or 0 in shape:
        return ()
    steps = [computed_together(program, dim) or 1 for dim in range(len(shape))]
    middle = [  # off the diagonal, and with a cell after it where there is another
        min((dim + 1) * n // (len(shape) + 2), max(n - 1 - steps[dim], 0))
        for dim, n in enumerate(shape)
    ]
    shifts = _shifts(program, values, middle, steps)
    everything = program.schedule(program.type.box, rounded=False).boxes
    kinds: dict[object, int] = {}
    found = list[_SourceReads]()
    for value, all_shifts in shifts.items():
        operator, type_ = program.instruction(value).operator, program.types[value]
        assert isinstance(operator, Source)
        moves = tuple([tuple(one) for one in all_shifts])
        alike = operator.slot(0) or operator, type_, moves, everything[value]
        kind = kinds.setdefault(alike, value)
        found.append(_SourceReads(value, operator, type_.shape, moves, everything[value], kind))
    return tuple(found)


def _shifts(
    program: Program, values: Sequence[int], middle: Sequence[int], steps: Sequence[int]
) -> dict[int, list[list[_Shift]]]:
    """How the boxes that a cell reads of each value move when it goes a step along a dimension."""
    origin = program.schedule(ZRange(middle, [a + 1 for a in middle]), rounded=False)
    shifts: dict[int, list[list[_Shift]]] = {v: [[] for _ in origin.boxes[v]] for v in values}
    for dim, extent in enumerate(program.type.shape):
        if extent < 2:
            continue
        at = [a + steps[dim] * (d == dim) for d, a in enumerate(middle)]
        there = program.schedule(ZRange(at, [a + 1 for a in at]), rounded=False)
        for value, value_shifts in shifts.items():
            boxes = zip(value_shifts, origin.boxes[value], there.boxes[value], strict=False)
            for own, here, moved in boxes:
                own += [
                    _Shift(dim, axis, b - a, steps[dim])
                    for axis, (a, b) in enumerate(zip(here.lo, moved.lo, strict=True))
                    if a != b
                ]
    return shifts
