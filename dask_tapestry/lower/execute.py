"""What a worker does: one block of one step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import repeat
from typing import Any

import numpy as np

from dask_tapestry.errors import PlanError, compute_error, of_user
from dask_tapestry.lower.assemble import part_of
from dask_tapestry.lower.device_calls import brought, called_on_device
from dask_tapestry.lower.exclusive_blocks import one_by_one
from dask_tapestry.lower.given_values import given_values
from dask_tapestry.lower.moving_window import MovingWindow, moved
from dask_tapestry.lower.result_buffer import ResultBuffer
from dask_tapestry.lower.step_spec import StepSpec
from dask_tapestry.lower.tiling import TiledPart, run_tiles, tiled_part
from dask_tapestry.lower.tuning import SLAB_BYTES
from dask_tapestry.memory.buffer_pool import POOL, owned
from dask_tapestry.steps.block_schedule import BlockSchedule, Streamed
from dask_tapestry.steps.device_values import lying
from dask_tapestry.steps.program import Instruction, Program, Schedule, Work
from dask_tapestry.steps.store_reads import read_from_stores
from dask_tapestry.steps.streaming import block_schedule_of, in_turns
from dask_tapestry.steps.windows import Window
from dask_tapestry.teg import Sink, Source
from dask_tapestry.zspace import ZRange
from dask_tapestry_kernels.block_format import is_foreign, is_on_device, with_all_cells
from dask_tapestry_kernels.cpu import KERNELS
from dask_tapestry_kernels.cpu.blas_threads import threads_each
from dask_tapestry_kernels.cpu.blocks import foreign as other_formats
from dask_tapestry_kernels.cpu.floating_point import checking_fp_errors, listening
from dask_tapestry_kernels.cpu.stopping import StoppedError, stop_if_asked, stoppable

Block = Any  # an array, or `Collected` ones
Held = dict[tuple[int, ZRange], Any]
Cells = Callable[[int, ZRange], Block]  # of a value that is held, the cells of a box


def run_block(
    spec: StepSpec,
    index: tuple[int, ...],
    out: ResultBuffer,
    *given: Any,
) -> Any:
    """Compute block `index` of a step.

    Parameters
    ----------
    out
        Buffer to write into; a remote one to return the block instead.
    given
        For each external input and each box of it that the block needs, in the order of the
        schedule: the array itself, or the producer's blocks that meet it in C order. What follows
        has ended before, and is not looked at.
    """
    try:
        with stoppable(spec.stop.asked()), one_by_one(spec.turns):
            return _block(spec, index, out, given)
    except StoppedError:
        raise spec.stop.error() from None


def _block(
    spec: StepSpec, index: tuple[int, ...], out: ResultBuffer, given: tuple[Any, ...]
) -> Any:
    """Compute block `index` of a step, as long as it is wanted."""
    box = spec.box(index)
    program = spec.program
    values = given_values(spec, program.schedule(box), given)
    target = out.box(box) if out.is_local else None
    course = block_schedule_of(program, box)
    with threads_each(spec.threads if program.multithreaded else None):
        if spec.heard is None:
            result = _computed(program, course, values, None, target)
        else:
            with listening(spec.heard.kinds) as texts:
                result = _computed(program, course, values, None, target)
            spec.heard.take(texts)
    for value, instruction in program.confirming:
        _confirm(instruction, program.schedule(box).boxes[value])
    if spec.format is not None and program.plain[-1]:
        return brought(result, spec.format, program, program.type)
    result = with_all_cells(result)
    if target is None:
        return result if result is None else owned(result)
    if result is target or (type(result) is not np.ndarray and not out.kept):
        return result
    if program.hands_over and out.adopt(result):
        return result
    target[...] = result
    return target


def _computed(
    program: Program, course: BlockSchedule, values: Held, outer: Cells | None, place: Block | None
) -> Any:
    """Compute the output of a program, in `place` if that is given and the kernel fills it.

    Inputs are in `values`, or `outer` has them.
    """
    schedule = course.schedule
    held = _Values(program, schedule, values, outer)
    last = len(program.types) - 1
    (box,) = schedule.boxes[last]
    foreign = program.device is not None or any(map(is_foreign, values.values()))
    part = None if foreign else _tiled(program, course, values)
    for work in schedule.works:
        stop_if_asked()
        if part is not None and work.value in part.values and work.value != part.goal:
            continue  # the goal's tiles compute it
        if (work.value, work.box) in values:
            continue  # it was read ahead
        streamed = course.streamed.get((work.value, work.box))
        to = place if work.value == last else None
        if streamed is not None:
            held.keep(work, _in_turns(streamed, work.box, held, to))
            continue
        to = _room_for(program, work) if to is None else to
        if part is not None and work.value == part.goal:
            held.keep(work, _formulas(part, work.box, held, to))
        else:
            held.compute(work, to)
    return held.values.pop((last, box))


def _tiled(program: Program, course: BlockSchedule, values: Held) -> TiledPart | None:
    """The part of a program that is computed in tiles that stay in cache."""
    part = tiled_part(program.anywhere)
    boxes = course.schedule.boxes
    if part is None or len(boxes[part.goal]) != 1:
        return None
    if any(goal >= min(part.values) for goal, _ in course.streamed):
        return None  # it is computed in turns, whose pieces have tiles
    given = all((n, box) in values for n in range(len(program.inputs)) for box in boxes[n])
    return part if given else None


def _in_turns(streamed: Streamed, box: ZRange, held: _Values, place: Block | None) -> Any:
    """Compute the cells `box` of a value piece by piece."""

    def cells(source: int, need: ZRange) -> Block:
        return held.cells(streamed.inputs[source], need)

    return _piece_by_piece(streamed, box, cells, place)


def _piece_by_piece(streamed: Streamed, box: ZRange, cells: Cells, place: Block | None) -> Any:
    program, then = streamed.program, streamed.then
    result: Block | None = None
    if streamed.adds:
        result = POOL.room(box.shape, program.type.dtype) if place is None else place
        result[...] = 0
    elif then is not None or not isinstance(program.instructions[-1].operator, Sink):
        is_value = place is not None and then is None
        result = place if is_value else POOL.room(streamed.box.shape, program.type.dtype)
    paces = [program.paces.get(n, 1) for n in range(len(program.inputs))][-len(streamed.windows) :]
    shared = list(map(MovingWindow, streamed.windows, repeat(_read_window), paces))
    cells = _with_own(streamed, shared, cells)
    for piece, read in _with_what_is_read(streamed):
        stop_if_asked()
        moved(shared, program.input_boxes(piece)[len(program.inputs) - len(shared) :])
        to = result if result is None or streamed.adds else result[piece.index(streamed.box)]
        deeper = None if streamed.fits else in_turns(program, piece)
        if deeper is None:
            found = _whole(program, piece, cells, to, read)
        else:
            found = _piece_by_piece(deeper, piece, cells, to)
        if to is not None and found is not to:
            to[...] = with_all_cells(found)
    if then is None:
        return result
    course = BlockSchedule(then.schedule(box), {})
    return _computed(then, course, {(0, streamed.box): result}, None, place)


def _with_own(streamed: Streamed, shared: Sequence[MovingWindow], outer: Cells) -> Cells:
    """Cells of a program's inputs, of which windows show the last, and pieces hand on some."""
    types, rooms = streamed.program.inputs, streamed.carried
    windows = len(types) - len(shared)
    first = windows - len(rooms)
    totals = zip(rooms, types[first:windows], strict=True)
    carried = [np.empty(box.shape, type_.dtype) for box, type_ in totals]

    def cells(source: int, need: ZRange) -> Block:
        if source < first:
            return outer(source, need)
        if source >= windows:
            return shared[source - windows].cells(need)
        return carried[source - first][need.index(rooms[source - first])]

    return cells if shared or rooms else outer


def _read_window(window: Window, box: ZRange, place: Block | None, pace: int) -> Block:
    return _instruction_result(window.instruction, Work(0, box, ()), [], place, pace)


def _with_what_is_read(streamed: Streamed) -> Iterator[tuple[ZRange, Held]]:
    """The pieces, each with what was read for it while the one before was computed."""
    if not streamed.ahead:
        for piece in streamed.pieces:
            yield piece, {}
        return
    pieces = list(streamed.pieces)
    with ThreadPoolExecutor(1, "tapestry-ahead") as reader:
        reading = reader.submit(_read, streamed.program, pieces[0])
        for piece, after in zip(pieces, [*pieces[1:], None], strict=True):
            read = reading.result()
            if after is not None:
                reading = reader.submit(_read, streamed.program, after)
            yield piece, read


def _read(program: Program, piece: ZRange) -> Held:
    """What a piece reads from stores."""
    held = _Values(program, Schedule(program.schedule(piece).boxes, ()), {}, None)
    for work in read_from_stores(program, piece):
        held.compute(work, _room_for(program, work))
    return held.values


def _whole(program: Program, box: ZRange, cells: Cells, place: Block | None, values: Held) -> Any:
    """Compute the cells `box` of a part's program.

    Inputs are held outside, and some `values` are there; they go when they are not needed any more.
    """
    schedule = program.schedule(box)
    first = len(program.inputs)
    needs = {(s, need) for work in schedule.works for s, need in work.reads if s < first}
    held = {(s, one) for s, own in enumerate(schedule.boxes[:first]) for one in own}
    values.update({key: cells(*key) for key in needs & held})
    return _computed(program, BlockSchedule(schedule, {}), values, cells, place)


class _Values:
    """Values of a program for one box of its output, each held until its last use.

    `outer` gives cells of those that are not computed here.
    """

    def __init__(
        self, program: Program, schedule: Schedule, values: Held, outer: Cells | None = None
    ) -> None:
        self.program, self.schedule, self.values, self.outer = program, schedule, values, outer
        self._lying = lying(program)
        for (value, box), block in list(values.items()) if self._lying is not None else ():
            self.values[value, box] = self._placed(value, block)
        self._uses: Counter[tuple[int, ZRange]] = Counter()  # how often each is still to be read
        for work in schedule.works:
            self._uses.update(self._sources(work))

    def _sources(self, work: Work) -> list[tuple[int, ZRange]]:
        held = self.schedule
        return [(s, held.holder(s, need)) for s, need in work.reads if held.boxes[s]]

    def _placed(self, value: int, block: Block) -> Block:
        """A block of a value on the device where that is held, if it is not held on the host."""
        where = None if self._lying is None else self._lying.held[value]
        if where is None:
            return block
        return brought(block, where, self.program, self.program.types[value])

    def cells(self, source: int, need: ZRange) -> Block:
        """Cells of a value that is held here or outside; none of what only empty boxes are read.

        Boxes of a value may overlap: those that nothing reads any more are not held.
        """
        held = self.schedule.held(source, need, self.values)
        if held is not None:
            return part_of(self.values[source, held], held, need)
        if need.is_empty and not self.schedule.boxes[source]:
            return np.empty(need.shape, self.program.types[source].dtype)
        if self.outer is None:
            raise PlanError(f"cells {need} of value {source} are read, which are not held")
        return self.outer(source, need)

    def compute(self, work: Work, place: Block | None) -> None:
        """Compute one value and hold it."""
        instruction = self.program.instructions[work.value - len(self.program.inputs)]
        blocks = [self.cells(*read) for read in work.reads]
        self.keep(work, _instruction_result(instruction, work, blocks, place, self._pace(work)))

    def _pace(self, work: Work) -> int:
        """Of the first axis of what is read, one cell in so many that a block needs."""
        pace = self.program.paces.get(work.value, 1)
        works = self.schedule.works if pace > 1 else ()
        reads = [need for w in works for s, need in w.reads if s == work.value]
        return pace if reads == [work.box] else 1

    def keep(self, work: Work, made: Any) -> None:
        """Hold a computed value, and drop those that nothing reads any more."""
        self.values[work.value, work.box] = self._placed(work.value, made)
        for key in self._sources(work):
            self._uses[key] -= 1
            if not self._uses[key]:
                self.values.pop(key, None)


def _formulas(part: TiledPart, box: ZRange, held: _Values, place: Block | None) -> Block:
    """Compute the cells `box` of a part's goal: in tiles, or in slabs until those are compiled."""
    out = np.empty(box.shape, part.program.type.dtype) if place is None else place
    with checking_fp_errors() as suspicion:
        done = run_tiles(part, box, held.schedule, held.values, out)
    if done and (suspicion is None or not suspicion.raised):
        return out
    part = part.within(held.schedule)
    for slab in _slabs(box, part.program.type.dtype.itemsize):
        stop_if_asked()
        schedule = part.program.schedule(slab)
        inner = _Values(part.program, schedule, {}, held.cells)
        to = out[slab.index(box)]
        for work in schedule.works:
            if work.value in part.values:
                is_goal = work.value == part.goal
                inner.compute(work, to if is_goal else _room_for(part.program, work))
        made = inner.values[part.goal, slab]
        if made is not to:
            to[...] = made
    return out


def _slabs(box: ZRange, itemsize: int) -> Iterator[ZRange]:
    """`box` cut along its first dimension."""
    if not box.ndim or box.is_empty:
        yield box
        return
    lo, hi = box.lo[0], box.hi[0]
    rows = max(1, SLAB_BYTES // max(1, box.size // (hi - lo) * itemsize))
    for first in range(lo, hi, rows):
        yield box.replace(0, first, min(first + rows, hi))


def _room_for(program: Program, work: Work) -> Block | None:
    """Return memory for a result that stays in this process; None to let the kernel allocate."""
    instruction = program.instructions[work.value - len(program.inputs)]
    if not instruction.operator.fills or instruction.device is not None:
        return None
    return POOL.array(work.box.shape, instruction.type.dtype)


def _instruction_result(
    instruction: Instruction, work: Work, blocks: list[Block], place: Block | None, pace: int = 1
) -> Any:
    """What an instruction yields; errors say where the user wrote it."""
    try:
        return _call(instruction, work, blocks, place, pace)
    except Exception as error:
        where = f", built at {instruction.line}" if instruction.line else ""
        types = ", ".join(map(str, instruction.types))
        text = f"while computing {instruction.operator.label}({types}), block {work.box} of "
        raise compute_error(error, f"{text}{instruction.type}{where}") from of_user(error)


def _confirm(instruction: Instruction, boxes: Sequence[ZRange]) -> None:
    """Have a source look again whether what was read is of one version."""
    source = instruction.operator
    assert isinstance(source, Source)
    try:
        source.confirm(boxes)
    except Exception as error:
        where = f", built at {instruction.line}" if instruction.line else ""
        text = f"while computing {source.label}(), boxes {', '.join(map(str, boxes))} of "
        raise compute_error(error, f"{text}{instruction.type}{where}") from error


def _call(one: Instruction, work: Work, blocks: list[Block], to: Block | None, pace: int) -> Any:
    operator, box = one.operator, work.box
    if isinstance(operator, Source):
        return operator.read(box, to) if pace == 1 else operator.read_some(box, to, pace)
    if isinstance(operator, Sink):
        operator.write(box, np.asarray(with_all_cells(blocks[0])))
        return None
    arguments = operator.arguments(one.types, box, work.boxes)
    if one.device is not None:
        return called_on_device(one, one.device, blocks, arguments)
    as_given = operator.calls and operator.any_format
    if any(map(is_on_device, blocks)):
        blocks = list(map(with_all_cells, blocks))
    elif not as_given and any(map(is_foreign, blocks)):
        made = other_formats.computed(operator.kernel, blocks, arguments)
        if made is not None:
            return made
        blocks = list(map(with_all_cells, blocks))
    return KERNELS[operator.kernel](to, *blocks, **arguments)
