"""Windows: cells of stored values that lie in memory while the pieces of a block move over them.

A piece of a stencil needs cells that the piece before needed, and a piece that ends within a stored
chunk leaves cells of it to the next one. So that each chunk is read and decoded once, pieces that
follow each other along one dimension share a window of each stored value: it keeps what the next
piece needs, and takes in whole chunks what is new. Of a value that a block needs in boxes that lie
apart, as at the ends of what is rolled, each box has a window.

Planner and workers ask the same functions, of the program and the box alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache, reduce
from itertools import chain, pairwise
from typing import NamedTuple

from dask_tapestry.steps.chunk_alignment import ChunkAlignment
from dask_tapestry.steps.piece_alignment import piece_edges
from dask_tapestry.steps.program import Instruction, Program
from dask_tapestry.steps.tuning import (
    LARGE_WINDOW_BYTES,
    REPEATED_WORK,
    SHORTER_PIECES_WORK,
)
from dask_tapestry.steps.window import Line, MovingNeeds, Window, stored_cuts, window_of
from dask_tapestry.teg import Source
from dask_tapestry.zspace import Cuts, ZRange

Span = tuple[int, int]
Held = tuple[int, ZRange]  # the number of a stored value, and a box that a block needs of it
Need = tuple[int, MovingNeeds]


class WindowedProgram(NamedTuple):
    """A program whose stored values are given to it, after its own inputs, and what reads them."""

    program: Program
    sources: tuple[Instruction, ...]

    def boxes(self, box: ZRange) -> tuple[tuple[ZRange, ...], ...]:
        """The boxes of each stored value that the output's cells `box` need."""
        end = len(self.program.inputs)
        return self.program.schedule(box).boxes[end - len(self.sources) : end]


def hull_of(boxes: Sequence[ZRange]) -> ZRange | None:
    """The box that holds some that are not empty; None for none."""
    filled = [box for box in boxes if not box.is_empty]
    return reduce(ZRange.hull, filled) if filled else None


@lru_cache(maxsize=1024)
def opened(program: Program) -> WindowedProgram | None:
    """The program with its stored values as inputs; None where it reads none, or nothing else."""
    first, stored = len(program.inputs), sorted(stored_values(program))
    if not stored or stored[-1] == len(program.types) - 1:
        return None
    others = [v for v in range(first, len(program.types)) if v not in set(stored)]
    number = {value: n for n, value in enumerate((*range(first), *stored, *others))}
    chosen = [program.instructions[value - first] for value in others]
    instructions = [i._replace(inputs=tuple([number[x] for x in i.inputs])) for i in chosen]
    inputs = (*program.inputs, *[program.types[value] for value in stored])
    sources = tuple([program.instructions[value - first] for value in stored])
    within = tuple([(number[value], held) for value, held in program.within])
    own = Program(inputs, tuple(instructions), within, piece_bytes=program.piece_bytes)
    return WindowedProgram(own, sources)


@lru_cache(maxsize=1024)
def stored_values(program: Program) -> frozenset[int]:
    """The values of a program that its own instructions read from stores."""
    numbered = enumerate(program.instructions, start=len(program.inputs))
    return frozenset({value for value, one in numbered if _is_stored(one)})


def _is_stored(instruction: Instruction) -> bool:
    rank = instruction.type.ndim
    one = ZRange((0,) * rank, (1,) * rank)
    return isinstance(instruction.operator, Source) and instruction.operator.stored_bytes(one) > 0


class Sliding(NamedTuple):
    """Edges of pieces along a dimension, and the windows that move with them."""

    line: Line
    windows: tuple[Window, ...]

    @property
    def nbytes(self) -> int:
        """Bytes of all windows."""
        return sum([window.nbytes for window in self.windows])


class SharingPieces(NamedTuple):
    """What computes pieces from windows, the edges of pieces, and these windows."""

    program: Program
    edges: tuple[Line, ...]
    windows: tuple[Window, ...]


def sharing_pieces(program: Program, box: ZRange, excess: float) -> SharingPieces | None:
    """Some `excess` pieces along the dimension whose windows are smallest; None without windows.

    Where all windows are large, pieces are shorter, and compute more again: so windows are, too.
    """
    own = opened(program)
    if own is None or excess <= 1:
        return None
    found = _smallest(own, box, excess, REPEATED_WORK)
    size = excess * program.most_at_once if found is None else found[0]
    if size > LARGE_WINDOW_BYTES:
        shorter = _smallest(own, box, excess, SHORTER_PIECES_WORK, tried=REPEATED_WORK)
        found = min(filter(None, (found, shorter)), default=None)
    if found is None:
        return None
    _, along, slid = found
    ends = list(zip(box.lo, box.hi, strict=True))
    return SharingPieces(own.program, (*ends[:along], slid.line, *ends[along + 1 :]), slid.windows)


def _smallest(
    own: WindowedProgram, box: ZRange, excess: float, most: float, tried: float = 0.0
) -> tuple[int, int, Sliding] | None:
    """Bytes, dimension, and pieces with the smallest windows; None where there are none.

    Pieces that are those of `tried` times the work too are left out.
    """
    found, program = list[tuple[int, int, Sliding]](), own.program.anywhere
    for dim, extent in enumerate(box.shape):
        if extent < 2:
            continue
        if tried and piece_edges(program, dim, tried) == piece_edges(program, dim, most):
            continue
        slid = sliding(own, box, dim, excess, most)
        if slid is not None:
            found.append((slid.nbytes, dim, slid))
    return min(found, default=None)


def sliding(
    own: WindowedProgram, box: ZRange, dim: int, excess: float, most: float = REPEATED_WORK
) -> Sliding | None:
    """Some `excess` pieces along a dimension of the output's cells `box`, and their windows.

    They compute up to `most` times what the whole does.

    None where pieces cannot share windows: they compute too much again, or what they need of a
    stored value does not move on along one axis.
    """
    grain = piece_edges(own.program.anywhere, dim, most)
    lo, hi = box.lo[dim], box.hi[dim]
    if grain is None or hi - lo <= max(1, grain.length):
        return None
    line = _even(lo, hi, grain, excess)
    needs = _window_needs(own, box, dim, line) if len(line) > 2 else None
    if needs is None:
        return None
    if grain.length == 1 and len(line) > 3:
        line = _with_chunks(own, needs, line)
    windows = [window_of(own.sources[number], need, line, number) for number, need in needs]
    return Sliding(line, tuple(windows))


def _even(lo: int, hi: int, grain: ChunkAlignment, excess: float) -> Line:
    """Edges of pieces of one length, on those of the grain."""
    return grain.ends(lo, hi, grain.side((hi - lo) / excess))


def _window_needs(own: WindowedProgram, box: ZRange, dim: int, line: Line) -> list[Need] | None:
    """What the pieces between the edges of a line need of each box of a stored value.

    The first two, the last and two in the middle are looked at.
    """
    whole = own.boxes(box)
    if any(hull_of(boxes) is None for boxes in whole):
        return None
    pieces = list(pairwise(line))
    middle = (len(pieces) - 1) // 2
    spans = {n: pieces[n] for n in sorted({0, 1, middle, middle + 1, len(pieces) - 1})}
    seen: dict[Held, dict[int, ZRange]] = {
        (number, held): {} for number, boxes in enumerate(whole) for held in boxes
    }
    for n, span in spans.items():
        for number, boxes in enumerate(own.boxes(box.replace(dim, *span))):
            for held, need in zip(whole[number], needs_of(boxes, whole[number]), strict=True):
                if need is not None:
                    seen[number, held][n] = need
        if not all(len(_moved_axes(list(boxes.values()))) < 2 for boxes in seen.values()):
            return None
    found: dict[Held, MovingNeeds] = {}
    for at in sorted(seen, key=lambda at: len(seen[at]) < 2):  # others tell how these move
        beside = [needs for (number, _), needs in found.items() if number == at[0]]
        moving = _moving(at[1], seen[at], spans, beside)
        if moving is None:
            return None
        found[at] = moving
    return [(number, found[number, held]) for number, held in seen]


def needs_of(boxes: Sequence[ZRange], held: Sequence[ZRange]) -> list[ZRange | None]:
    """For each of the boxes that are `held` of a value, what holds those of some that lie in it."""
    if len(held) == 1:
        return [hull_of(boxes)]
    inside: list[list[ZRange]] = [[] for _ in held]
    for box in boxes:
        at = next((n for n, one in enumerate(held) if one.contains(box)), None)
        if at is not None:
            inside[at].append(box)
    return list(map(hull_of, inside))


def _moved_axes(boxes: Sequence[ZRange]) -> list[int]:
    """Axes along which not all boxes are as long as their hull."""
    if not boxes:
        return []
    shape, shapes = reduce(ZRange.hull, boxes).shape, {box.shape for box in boxes}
    return [a for a, n in enumerate(shape) if any(own[a] != n for own in shapes)]


def _moving(
    held: ZRange,
    boxes: Mapping[int, ZRange],
    spans: Mapping[int, Span],
    beside: Sequence[MovingNeeds],
) -> MovingNeeds | None:
    """How pieces with these spans need `boxes`; None where these do not move along one axis.

    Needs are clipped where the value ends, of many pieces where each needs more than a piece: least
    at the end of the first one's, and where the last one's begins. Pieces that need none are told
    of an empty part. What one piece needs moves as what is needed `beside` it of the value, or is
    held whole.
    """
    if len(boxes) < 2:
        ways = [(one.axis, one.pace) for one in beside if boxes]
        whole = MovingNeeds(held, 0, 0, held.lo[0], held.hi[0])
    else:
        axis = next(iter(_moved_axes(list(boxes.values()))), 0)
        ways, whole = [(axis, pace) for pace in _paces(boxes, spans, axis)], None
    hull = reduce(ZRange.hull, boxes.values()) if len(boxes) == len(spans) else held
    found = [_needs(boxes, spans, hull, *way) for way in dict.fromkeys(ways)]
    return next((needs for needs in found if _tells(needs, boxes, spans)), whole)


def _needs(
    boxes: Mapping[int, ZRange], spans: Mapping[int, Span], hull: ZRange, axis: int, pace: int
) -> MovingNeeds:
    first, last = min(boxes), max(boxes)
    start = boxes[last].lo[axis] - pace * spans[last][0]
    return MovingNeeds(hull, axis, pace, start, boxes[first].hi[axis] - pace * spans[first][1])


def _tells(needs: MovingNeeds, boxes: Mapping[int, ZRange], spans: Mapping[int, Span]) -> bool:
    """Whether these are the needs of all pieces that were looked at."""
    axis = needs.axis
    return all(needs.of(spans[n]) == (box.lo[axis], box.hi[axis]) for n, box in boxes.items())


def _paces(boxes: Mapping[int, ZRange], spans: Mapping[int, Span], axis: int) -> list[int]:
    """Cells by which needs move with a step, where they begin and where they end.

    Of two in the middle; of others where not all pieces need some.
    """
    numbers = list(boxes)
    middle = (len(numbers) - 1) // 2
    pairs = [(numbers[middle], numbers[middle + 1])]
    pairs += list(pairwise(numbers)) if len(boxes) < len(spans) else []
    moves = list[tuple[int, int]]()
    for one, other in pairs:
        (a, b), (c, d) = spans[one], spans[other]
        here, there = boxes[one], boxes[other]
        moves += [(there.lo[axis] - here.lo[axis], c - a), (there.hi[axis] - here.hi[axis], d - b)]
    return [moved // steps for moved, steps in moves if moved >= 0 and moved % steps == 0]


def _with_chunks(own: WindowedProgram, needs: Sequence[Need], line: Line) -> Line:
    """About such pieces, that end where a chunk does of the stored value with most bytes.

    Then no more of a next chunk lies there than the piece needs.
    """
    pairs = [(need, own.sources[number]) for number, need in needs]
    need, source = max(pairs, key=lambda pair: pair[0].box.size * pair[1].type.dtype.itemsize)
    cuts, longest = stored_cuts(source, need.axis), line[2] - line[1]
    if cuts is None or cuts.longest == 1 or not need.pace:
        return line
    chunks = _ends_about(cuts, longest * need.pace, need.box.hi[need.axis])
    ends = {(chunk - need.stop) // need.pace for chunk in chunks}
    edges = sorted({line[0], line[-1], *[end for end in ends if line[0] < end < line[-1]]})
    return (*chain.from_iterable([_equal(a, b, longest) for a, b in pairwise(edges)]), line[-1])


def _equal(lo: int, hi: int, length: int) -> list[int]:
    """Where equal parts of a span begin that are about as long as that."""
    parts = max(1, round((hi - lo) / length))
    return [lo + (hi - lo) * n // parts for n in range(parts)]


def _ends_about(cuts: Cuts, length: int, hi: int) -> Iterable[int]:
    """Where chunks end before `hi`, about so many cells apart."""
    if cuts.edges:
        count = max(1, round(length * cuts.count / cuts.extent))
        return [end for end in cuts.edges[count:-1:count] if end < hi]
    step = cuts.step * max(1, round(length / cuts.step))
    return range(step - cuts.step + cuts.lead, hi, step)
