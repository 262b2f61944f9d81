"""Streaming: which values of a block are computed in turns, and in which pieces.

A block that would take more than `PIECE_BYTES`, or than its program says, beside its inputs is
computed piece by piece: a part of its program runs for one box after the other, and its pieces are
written to where the whole value lies. What folds cells is split first: the partial results of a
piece of the cells are kept and combined at the end, or merged as they come (`merges`); where they
take more than what they are made of, that is read first, and pieces end anywhere in it. Others end
where stored chunks do, or share what they read (`windows`), or hand on their state
(`carried_state`), and nothing is read twice; what cannot be cut so is computed whole, and so is
what a device computes. The bits are those of the whole. Planner and workers ask the same functions,
of the program and the box alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import takewhile
from math import prod

from dask_tapestry.steps.block_schedule import BlockSchedule, LoopEntry, PieceCut, PieceLoop
from dask_tapestry.steps.carried_state import carrying, is_in_order
from dask_tapestry.steps.instruction_schedule import InstructionSchedule, Key, Work
from dask_tapestry.steps.merges import merges_of
from dask_tapestry.steps.parts import (
    Part,
    folded_inputs,
    little_inputs,
    parts_of,
    split_for_memory,
    value_bytes,
    window_folds,
    written_values,
)
from dask_tapestry.steps.peak import Peak, TurnPeak, all_bytes, peak_bytes, peak_of
from dask_tapestry.steps.piece_cuts import (
    between_joints,
    cuts_of_pieces,
    largest_piece,
    pieces_at_joints,
    usual_piece,
)
from dask_tapestry.steps.program import Program
from dask_tapestry.steps.store_reads import bytes_from_stores, more_at_ends
from dask_tapestry.steps.tuning import (
    LARGE_WINDOW_BYTES,
    MOST_PIECES,
    WORTHWHILE_SHARE,
)
from dask_tapestry.steps.window import Line, Window
from dask_tapestry.steps.windows import sharing_pieces, stored_values
from dask_tapestry.teg import Merging, Turns
from dask_tapestry.zspace import ZRange


def block_schedule_of(program: Program, box: ZRange) -> BlockSchedule:
    """How the cells `box` of a program's output are computed."""
    if program.whole_boxes.get(box) == program.most_at_once:
        return BlockSchedule.whole(program, box)
    best = _block_schedule(program, box)
    if not best.loops:
        program.whole_boxes[box] = program.most_at_once
    return best


def piece_schedule_of(loop: PieceLoop, piece: ZRange) -> BlockSchedule:
    """How a piece of a loop is computed: as a whole, in a loop of its own, or with some inside."""
    if loop.fits:
        return BlockSchedule.whole(loop.program, piece)
    inner = in_turns(loop.program, piece)
    if inner is None:
        return _in_parts(loop.program, piece)
    schedule, inputs = loop.program.schedule(piece), range(len(loop.program.inputs))
    goal = Work(len(loop.program.types) - 1, piece, ())
    entry = _loop_entry(goal, inner, schedule.works, tuple(inputs))
    return BlockSchedule(loop.program, InstructionSchedule(schedule.boxes, (entry.work,)), (entry,))


@lru_cache(maxsize=4096)  # it is asked before a block is priced, and when it is
def may_stream(program: Program, box: ZRange) -> bool:
    """Whether the cells `box` of a program's output may be computed in turns: they take much."""
    if not program.instructions or box.size * program.type.dtype.itemsize > program.most_at_once:
        return bool(program.instructions)  # all take no less than the output alone
    return all_bytes(program, program.schedule(box)) > program.most_at_once


@lru_cache(maxsize=2048)
def _block_schedule(program: Program, box: ZRange) -> BlockSchedule:
    whole = BlockSchedule.whole(program, box)
    if not may_stream(program, box):
        return whole
    on_device = program.device is not None  # slow to begin with a piece, and without such a cache
    if on_device or _bytes(program, box, final=True) <= program.most_at_once:
        return whole
    schedule, parts = whole.schedule, parts_of(program)
    best = _from_parts(program, schedule, parts)
    most = program.most_at_once
    fine = {goal for (goal, _), one in best.loops.items() if one.takes.beside.all <= most}
    coarse = {goal: part for goal, part in parts.items() if goal not in fine}
    little = frozenset().union(*[little_inputs(program, *one) for one in coarse.items()])
    best = _less_if_apart(best, schedule, little)
    large = (1 - WORTHWHILE_SHARE) * best.peak.all
    folded = window_folds(program, parts, best.schedule, large)
    if best.peak.all > most and folded:
        other = _from_parts(program, schedule, parts_of(program, folded=folded))
        best = min(best, other, key=lambda block: block.peak.all)
    inside = frozenset().union(*[part.inside for part in coarse.values() if _folds(part.program)])
    best = _less_if_read_first(best, whole, inside & stored_values(program))
    read = frozenset().union(*[folded_inputs(program, *one) for one in coarse.items()])
    return _less_if_apart(best, schedule, read) if best.peak.all > most else best


def _less_if_apart(
    best: BlockSchedule, schedule: InstructionSchedule, values: frozenset[int]
) -> BlockSchedule:
    """The block in which `values` are computed by parts of their own, if that takes less."""
    if not values:
        return best
    other = _from_parts(best.program, schedule, parts_of(best.program, values))
    return min(best, other, key=lambda block: block.peak.all)


def _in_parts(program: Program, piece: ZRange) -> BlockSchedule:
    """A piece as blocks are computed, or what a sink writes of it in turns, if nothing else is."""
    block, made = _block_schedule(program, piece), written_values(program)
    if block.loops or not made:
        return block
    return _from_parts(program, block.schedule, parts_of(program, made))


def _less_if_read_first(
    best: BlockSchedule, whole: BlockSchedule, stored: frozenset[int]
) -> BlockSchedule:
    """The block in which `stored` values are read before anything is computed, if that takes less.

    Partial results may take more than the chunks that they are made of, as those of a fold that
    keeps most axes. Pieces of what lies in memory end anywhere: along axes that are kept, too.
    """
    program, box = whole.program, whole.box
    least = value_bytes(program, box)
    for value in stored:
        cells = sum([one.size for one in whole.schedule.boxes[value]])
        least += cells * program.types[value].dtype.itemsize
    if not stored or least > WORTHWHILE_SHARE * best.peak.all:
        return best
    return _less_if_apart(best, whole.schedule, stored)


def _folds(program: Program) -> bool:
    """Whether a part's value is a fold; not one whose partial results are added as they come."""
    last = program.instructions[-1]
    turns = last.operator.turns(last.types)
    if turns is None or turns.split is None:
        return False
    return not turns.sizes or turns.split(turns.sizes[0]).then is not None


def _from_parts(
    program: Program, schedule: InstructionSchedule, parts: Mapping[int, Part]
) -> BlockSchedule:
    """The block in which each part is computed in turns that can be, or whole."""
    loops: dict[Key, PieceLoop] = {}
    inside: set[int] = set()
    own = {g: part.program_within(schedule) for g, part in parts.items() if schedule.boxes[g]}
    last = len(program.types) - 1
    for goal, within in own.items():
        boxes = schedule.boxes[goal]
        each = (in_turns(within, box, goal == last) for box in boxes)
        found = [loop for loop in takewhile(bool, each) if loop]
        if len(found) == len(boxes):
            loops |= {(goal, box): loop for box, loop in zip(boxes, found, strict=True)}
            inside |= parts[goal].inside
    entries: list[Work | LoopEntry] = []
    for work in schedule.works:
        loop = loops.get((work.value, work.box))
        if loop is not None:
            works, inputs = own[work.value].schedule(work.box).works, parts[work.value].inputs
            entries.append(_loop_entry(work, loop, works, inputs))
        elif work.value not in inside:
            entries.append(work)
    computed = tuple([e.work if isinstance(e, LoopEntry) else e for e in entries])
    return BlockSchedule(program, InstructionSchedule(schedule.boxes, computed), tuple(entries))


def _loop_entry(
    work: Work, loop: PieceLoop, works: Sequence[Work], inputs: tuple[int, ...]
) -> LoopEntry:
    """A value whose loop reads what these `works` of its part read from the part's `inputs`."""
    reads = [(inputs[s], need) for w in works for s, need in w.reads if s < len(inputs)]
    return LoopEntry(work._replace(reads=tuple(dict.fromkeys(reads))), loop, inputs)


@lru_cache(maxsize=4096)
def in_turns(program: Program, box: ZRange, final: bool = False) -> PieceLoop | None:
    """How the cells `box` of a part's program are computed in turns.

    None where it takes little memory as a whole, or not much less in turns. The end of a block is
    `final`: a view is copied there.
    """
    whole = _bytes(program, box, final)
    operator, _, types, *_ = program.instructions[-1]
    turns = operator.turns(types)
    if whole <= program.most_at_once or turns is None:
        return None
    best = _in_pieces(program, box)
    if turns.split is not None and turns.sizes and (best is None or not best.fits):
        best = _less(best, _from_partial_results(program, box, turns), program.most_at_once)
    if turns.merging is not None and (best is None or not best.fits):
        best = _less(best, _merged_as_they_come(program, box, turns), program.most_at_once)
    if best is None:
        best = _in_pieces(program, box, moving=True)
    return best if best is not None and best.bytes <= WORTHWHILE_SHARE * whole else None


def _bytes(program: Program, box: ZRange, final: bool) -> int:
    """Bytes that a block takes that is computed as a whole."""
    peak = peak_of(program, box)
    if final and not program.instructions[-1].operator.copies:
        return max(peak.all, peak.last + value_bytes(program, box))
    return peak.all


def _less(one: PieceLoop | None, other: PieceLoop | None, most: int) -> PieceLoop | None:
    """What takes less memory of two ways, or adds up in little, where the first has loops inside.

    Those compute the rows again that all columns are multiplied with.
    """
    if one is None or other is None:
        return one or other
    adds = other.adds and other.fits and not one.fits
    little = adds and WORTHWHILE_SHARE * other.takes.beside.all < most
    return other if little or other.bytes < one.bytes else one


def _in_pieces(program: Program, box: ZRange, moving: bool = False) -> PieceLoop | None:
    """The cells in pieces that are written to where they lie, and share windows if `moving`."""
    in_place = program.instructions[-1].operator.fills
    cut = _best_cut(program, box, in_place, moving=moving)
    if cut is None:
        return None
    takes = TurnPeak(value_bytes(program, box), cut.beside)
    return cut.loop(box, takes)


def _from_partial_results(program: Program, box: ZRange, turns: Turns) -> PieceLoop | None:
    """The cells from partial results, which are computed in pieces of what is folded."""
    first, then, inner = split_for_memory(program, box, turns)
    if inner is None:
        return None
    cut = _best_cut(first, inner, in_place=False, adds=then is None)
    if cut is None and then is not None:
        cut = _best_cut(first, inner, in_place=False, moving=True)
    if cut is None:
        return None
    loop_peak = cut.beside
    if cut.inner is not None:
        loop_peak = loop_peak.with_kept(cut.inner.takes.cells)
    cells = value_bytes(program, box)
    ahead_bytes = bytes_from_stores(first, cut.piece) if then is None and cut.inner is None else 0
    if then is None:
        loop_peak = loop_peak.with_kept(ahead_bytes)
    else:
        kept = value_bytes(first, inner)
        completing = then.instructions[-1].operator.scratch_bytes(then.inputs, box)
        loop_peak = loop_peak.with_kept(kept)
        loop_peak = loop_peak._replace(all=max(loop_peak.all - cells, kept + completing))
    loop = cut.loop(inner, TurnPeak(cells, loop_peak))
    return replace(loop, then=then, adds=then is None, ahead=bool(ahead_bytes))


def _merged_as_they_come(program: Program, box: ZRange, turns: Turns) -> PieceLoop | None:
    """The cells from partial results that are merged as they come: few, while these are small."""
    best = None
    for size in reversed(turns.sizes):
        merging = turns.merging(size) if turns.merging else None
        found = None if merging is None else _merging_loop(program, box, merging)
        if found is None:
            break
        best, piece = found
        if 2 * piece > program.most_at_once:
            break
    return best


def _merging_loop(program: Program, box: ZRange, merging: Merging) -> tuple[PieceLoop, int] | None:
    """The cells from partial results, each a piece, and bytes of one; None if some read again."""
    first, nodes, merges, then = merges_of(program, box, merging)
    edges = cuts_of_pieces(first, nodes, MOST_PIECES, merging.axis)
    if edges is None or len(edges[merging.axis]) != nodes.shape[merging.axis] + 1:
        return None
    cut = _cut_at(first, (), edges, usual_piece(edges), in_place=False)
    of_piece = cut.beside if cut.inner is None else cut.beside.with_kept(cut.inner.takes.cells)
    cells, kept = value_bytes(program, box), merges.kept * value_bytes(first, cut.piece)
    completing = then.instructions[-1].operator.scratch_bytes(then.inputs, box)
    beside = of_piece.with_kept(kept)
    most = max(beside.all, kept + merges.merging_bytes) - cells
    takes = TurnPeak(cells, beside._replace(all=max(most, kept + completing)))
    return replace(cut.loop(nodes, takes), then=then, merges=merges), of_piece.all


def _best_cut(
    program: Program, box: ZRange, in_place: bool, adds: bool = False, moving: bool = False
) -> PieceCut | None:
    """Pieces that take least memory, which hand on what they come to where they must."""

    def cut_of(program: Program) -> PieceCut | None:
        if moving:
            return _moving_cut(program, box, in_place)
        return _plain_cut(program, box, in_place, adds)

    cut, own = cut_of(program), carrying(program)
    rooms = None if own is None or (cut and cut.inner is None) else own.rooms(box)
    if own is None or rooms is None:
        return cut
    other = cut_of(own.program)
    if other is None:
        return cut
    carried = [prod(b.shape) * t.dtype.itemsize for b, t in zip(rooms, own.types, strict=True)]
    other = other._replace(carried=rooms, beside=other.beside.with_kept(sum(carried)))
    return other if cut is None or other.beside.all < cut.beside.all else cut


def _plain_cut(
    program: Program, box: ZRange, in_place: bool, adds: bool = False
) -> PieceCut | None:
    """Pieces that end between stored chunks."""
    excess = _bytes(program, box, final=False) / program.most_at_once
    edges = cuts_of_pieces(program, box, excess, 0 if adds else None)
    if edges is None or not is_in_order(program, box, edges):
        return None
    joints = None if adds else between_joints(program, box, edges)
    if joints is None:
        return _cut_at(program, (), edges, usual_piece(edges), in_place)
    return _cut_at(program, (), joints, largest_piece(joints), in_place)


def _moving_cut(program: Program, box: ZRange, in_place: bool) -> PieceCut | None:
    """Pieces along the dimension whose windows are smallest."""
    excess = min(_bytes(program, box, final=False) / program.most_at_once, MOST_PIECES)
    found = sharing_pieces(program, box, excess)
    if found is None or not is_in_order(program, box, found.edges):
        return None
    piece = largest_piece(found.edges)
    return _cut_at(found.program, found.windows, found.edges, piece, in_place)


def _cut_at(
    program: Program,
    windows: tuple[Window, ...],
    edges: tuple[Line, ...],
    piece: ZRange,
    in_place: bool,
) -> PieceCut:
    large = bool(windows)
    piece_peak, inner, parts = _piece_needs(program, piece, in_place, large)
    fits = inner is None and not parts.loops
    for joined in pieces_at_joints(program, edges, piece):
        other = (
            _piece_peak(program, joined, in_place)
            if fits
            else _piece_needs(program, joined, in_place, large)[0]
        )
        piece_peak = max(piece_peak, other, key=lambda peak: peak.all)
    if windows:
        scratch = max([window.scratch_bytes for window in windows])
        piece_peak = piece_peak._replace(all=max(piece_peak.all, scratch))
        piece_peak = piece_peak.with_kept(sum([window.nbytes for window in windows]))
    else:
        piece_peak = piece_peak._replace(all=piece_peak.all + more_at_ends(program, edges, piece))
    calls = parts.calls if inner is None else inner.calls
    return PieceCut(program, windows, (), edges, piece, inner, fits, calls, piece_peak)


def _piece_needs(
    program: Program, piece: ZRange, in_place: bool, large: bool
) -> tuple[Peak, PieceLoop | None, BlockSchedule]:
    """What a piece takes, the loop that it is computed in, if any, and else what is run.

    Beside windows, a `large` one is made in parts where that takes less.
    """
    peak, parts = _piece_peak(program, piece, in_place), BlockSchedule.whole(program, piece)
    inner = in_turns(program, piece) if peak.all > program.most_at_once else None
    if inner is not None:
        return inner.takes.beside, inner, parts
    if large and peak.all > LARGE_WINDOW_BYTES:
        divided = _in_parts(program, piece)
        if divided.peak.all <= WORTHWHILE_SHARE * peak.all:
            return divided.peak, None, divided
    return peak, None, parts


def _piece_peak(program: Program, piece: ZRange, in_place: bool) -> Peak:
    """Bytes that a piece takes; its own cells lie in the value where it is computed `in_place`."""
    last = program.instructions[-1]
    scratch = last.operator.scratch_bytes(last.types, piece)
    there = {(len(program.types) - 1, piece): TurnPeak(0, Peak(0, 0, scratch, scratch, 0))}
    return peak_bytes(program, program.schedule(piece), there if in_place else {})
