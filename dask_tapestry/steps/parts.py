"""Parts of a program: a value with all that is computed for it alone, cell by cell.

A part can be computed piece by piece: of formulas, views and what is read, only the cells of one
piece are in memory, while what other parts read too is computed before and held. A small value
that every piece would read again, like the coordinates along one axis, is held as well.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from functools import cached_property, lru_cache

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.steps.instruction_schedule import InstructionSchedule
from dask_tapestry.steps.program import Instruction, Program
from dask_tapestry.steps.tuning import (
    LITTLE_SHARE,
    MUCH_LONGER,
    PARTIAL_SHARE,
    SMALL_SHARE,
)
from dask_tapestry.teg import Operator, Sink, Split, Turns
from dask_tapestry.zspace import ZRange


@dataclass(frozen=True)
class Part:
    """A value of a program with what is computed for it alone.

    Attributes
    ----------
    program
        What it takes; its output is the value.
    inputs
        For each input of that, the value of the whole program that it is.
    inside
        The values of the whole program that are computed for it alone, without itself.
    """

    program: Program
    inputs: tuple[int, ...]
    inside: frozenset[int]

    def program_within(self, schedule: InstructionSchedule) -> Program:
        """Its program for parts of a block of the whole one."""
        return self.program.inside([schedule.boxes[value] for value in self._values])

    @cached_property
    def _values(self) -> tuple[int, ...]:
        """The values of the whole program that its own are, but the last."""
        return (*self.inputs, *sorted(self.inside))


@lru_cache(maxsize=512)
def parts_of(
    program: Program, excluded: frozenset[int] = frozenset(), folded: frozenset[int] = frozenset()
) -> Mapping[int, Part]:
    """The parts of a program that can be computed in turns, by the value that each computes.

    Values `excluded` are computed by parts of their own, and held. What folds cells begins a part,
    whose pieces are partial results, but for those `folded`: they are folded for each piece of what
    alone reads them.
    """
    excluded_values = set(excluded)
    found = _parts(program, excluded_values, folded)
    for part in found.values():
        excluded_values |= _read_by_all(part)
    return _parts(program, excluded_values, folded) if excluded_values - excluded else found


def little_inputs(program: Program, goal: int, part: Part) -> frozenset[int]:
    """What the last value of a part reads that is little beside what the part reads.

    Cells that a stride picks: they may be held where the part cannot be computed in turns.
    """
    most = max([program.types[value].nbytes for value in (*part.inside, *part.inputs)], default=0)
    reads = _reads_inside(program, goal, part)
    return frozenset({v for v in reads if program.types[v].nbytes <= LITTLE_SHARE * most})


def folded_inputs(program: Program, goal: int, part: Part) -> frozenset[int]:
    """What a part folds that has no smaller partial results; none of other parts.

    That may be made in turns, and held, where the part is not computed in turns.
    """
    operator, _, types, *_ = program.instructions[goal - len(program.inputs)]
    turns = operator.turns(types)
    is_least = turns is not None and turns.split is not None and not turns.sizes
    return _reads_inside(program, goal, part) if is_least else frozenset()


def _reads_inside(program: Program, goal: int, part: Part) -> frozenset[int]:
    return frozenset(program.instructions[goal - len(program.inputs)].inputs) & part.inside


def written_values(program: Program) -> frozenset[int]:
    """What a sink at the end writes, where the program makes it.

    Chunks are written whole, but each may be made piece by piece.
    """
    last, first = program.instructions[-1], len(program.inputs)
    is_sink = isinstance(last.operator, Sink)
    return frozenset({value for value in last.inputs if is_sink and value >= first})


def window_folds(
    program: Program, parts: Mapping[int, Part], schedule: InstructionSchedule, least: float
) -> frozenset[int]:
    """What folds windows and is read by another part, where a block of it takes `least` bytes.

    As the sums and counts of moving windows, of which a mean is made: they may be folded for each
    piece of that.
    """
    last, found = len(program.types) - 1, set[int]()
    for goal in parts:
        cells = sum([box.size for box in schedule.boxes[goal]])
        is_large = cells * program.types[goal].dtype.itemsize >= least
        if goal != last and is_large and _folds_windows(program, goal):
            found.add(goal)
    return frozenset(found)


def _folds_windows(program: Program, goal: int) -> bool:
    """Whether a value is a fold of views that show cells several times: few for each of its own."""
    first = len(program.inputs)
    operator, inputs, types, *_ = program.instructions[goal - first]
    turns = operator.turns(types)
    if turns is None or turns.split is None:
        return False
    read = [program.instructions[value - first] for value in inputs if value >= first]
    return any(one.operator.is_view and not all(one.operator.reads_once(one.types)) for one in read)


def _parts(program: Program, excluded: Collection[int], folded: Collection[int]) -> dict[int, Part]:
    first, last = len(program.inputs), len(program.types) - 1
    goals: dict[int, int | None] = {}  # of the part that each value is in; None for no part
    readers: dict[int, set[int | None]] = defaultdict(set)
    members: dict[int, list[int]] = {}
    for value in range(last, first - 1, -1):
        operator, inputs, types, *_ = program.instructions[value - first]
        turns = operator.turns(types)
        into = readers[value] if value != last and value not in excluded else set()
        only = next(iter(into)) if len(into) == 1 else None
        if turns is None:
            goals[value] = None
        elif only is not None and (turns.split is None or value in folded):
            goals[value] = only
            members[only].append(value)
        else:
            goals[value] = value
            members[value] = [value]
        for source in inputs:
            readers[source].add(goals[value])
    return {goal: _part(program, inside[::-1]) for goal, inside in members.items()}


def _part(program: Program, values: list[int]) -> Part:
    """The part of some values in order, the last of which it computes."""
    first = len(program.inputs)
    chosen = [program.instructions[value - first] for value in values]
    inputs = sorted({x for i in chosen for x in i.inputs} - set(values))
    number = {value: n for n, value in enumerate((*inputs, *values))}
    instructions = [i._replace(inputs=tuple([number[x] for x in i.inputs])) for i in chosen]
    types = tuple([program.types[x] for x in inputs])
    own = Program(types, tuple(instructions), piece_bytes=program.piece_bytes)
    if own == program:
        own = program  # whose schedules are known
    return Part(own, tuple(inputs), frozenset(values[:-1]))


def _read_by_all(part: Part) -> set[int]:
    """Small values inside a part that some dimension of its pieces does not move.

    Short dimensions beside long ones are not cut, as those of small matrices in a stack.
    """
    program = finest_program(part.program)
    shape, first = program.type.shape, len(program.inputs)
    inside = sorted(part.inside)
    if not inside or not shape or 0 in shape:
        return set()
    small = SMALL_SHARE * max(type_.nbytes for type_ in (*program.types[:-1], part.program.type))
    origin = program.schedule(ZRange((0,) * len(shape), (1,) * len(shape)), rounded=False)
    common_values: set[int] = set()
    longest = max([n for type_ in program.types for n in type_.shape])
    for dim, extent in enumerate(shape):
        if extent > max(1, longest // MUCH_LONGER):
            at = [int(d == dim) for d in range(len(shape))]
            moved = program.schedule(ZRange(at, [a + 1 for a in at]), rounded=False)
            common_values |= {
                value
                for number, value in enumerate(inside, start=first)
                if program.types[number].nbytes <= small
                and origin.boxes[number] == moved.boxes[number]
                and any(not box.is_empty for box in origin.boxes[number])
            }
    return common_values


def finest_program(program: Program) -> Program:
    """A part's program, or what yields its partial results, as many as there can be."""
    instruction = program.instructions[-1]
    turns = instruction.operator.turns(instruction.types)
    if turns is None or turns.split is None or not turns.sizes:
        return program
    return with_last(program, turns.split(turns.sizes[-1]).first)


@lru_cache(maxsize=1024)
def with_last(program: Program, operator: Operator) -> Program:
    """The program with another operator at its end, which takes the same inputs."""
    *before, last = program.instructions
    goal = len(program.types) - 1
    type_ = operator.infer(*last.types)
    made = Instruction(operator, last.inputs, last.types, type_, last.line, last.device)
    within = tuple([(value, held) for value, held in program.within if value < goal])
    devices, most = program.devices, program.piece_bytes
    return Program(program.inputs, (*before, made), within, devices, piece_bytes=most)


def split_at(
    program: Program, box: ZRange, split: Split
) -> tuple[Program, Program | None, ZRange | None]:
    """What yields partial results, what completes them, and the box of them for `box`."""
    first, last = with_last(program, split.first), program.instructions[-1]
    if split.sums is not None:
        return first, None, split.sums(box)
    (inner,) = split.then.demand((first.type,), box)
    return first, _completing(first, split.then, last), inner


@lru_cache(maxsize=1024)  # each box of a program that is priced asks for it
def _completing(first: Program, operator: Operator, last: Instruction) -> Program:
    """What makes the value of an instruction, its `last`, of partial results."""
    step = Instruction(operator, (0,), (first.type,), last.type, last.line, last.device)
    return Program((first.type,), (step,), piece_bytes=first.piece_bytes)


def value_bytes(program: Program, box: ZRange) -> int:
    """Bytes of the cells `box` of a program's output; of what a sink writes none."""
    last = program.instructions[-1]
    return 0 if isinstance(last.operator, Sink) else box.size * last.type.dtype.itemsize


def split_for_memory(
    program: Program, box: ZRange, turns: Turns
) -> tuple[Program, Program | None, ZRange | None]:
    """What yields partial results, what completes them, and the box of them for `box`.

    They are as many as may be kept; where even the fewest are too large, these.
    """
    assert turns.split is not None
    few, many = 0, len(turns.sizes) - 1
    while few < many:  # the last ones that are small enough
        middle = -(-(few + many) // 2)
        first, _, inner = split_at(program, box, turns.split(turns.sizes[middle]))
        small = inner is None or value_bytes(first, inner) <= PARTIAL_SHARE * program.most_at_once
        few, many = (middle, many) if small else (few, middle - 1)
    return split_at(program, box, turns.split(turns.sizes[few]))
