"""Programs: what a step computes for one block, as a flat list of operators.

Value i is an external input for the first few i, then the result of an instruction; the last value
is the step's output. For any box of the output, `Program.schedule` follows the operators' demands
back to the inputs: that is how slices, permutes and broadcasts reach the sources, how a plan knows
what a block reads and needs in memory, and what a worker then executes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.steps.boxes import merged, rounded_out
from dask_tapestry.steps.instruction_schedule import InstructionSchedule, Work
from dask_tapestry.steps.invariants import Invariants
from dask_tapestry.steps.tuning import (
    EXTRA_CELLS,
    EXTRA_READ,
    PIECE_BYTES,
    SCHEDULES_REMEMBERED,
)
from dask_tapestry.teg import PLAIN_CODEC, Operator, Sink, Source, TensorType
from dask_tapestry.teg.operator import Types
from dask_tapestry.zspace import ZRange
from dask_tapestry_kernels.block_format import BlockFormat, device_among


class Instruction(NamedTuple):
    """An operator on earlier values, where the user wrote it, and the device that computes it."""

    operator: Operator
    inputs: tuple[int, ...]
    types: Types
    type: TensorType
    line: str | None = None
    device: BlockFormat | None = None


Within = tuple[tuple[int, tuple[ZRange, ...]], ...]  # boxes of values that have several


@dataclass(frozen=True)
class Program:
    """Operators in order; see the module's text.

    Attributes
    ----------
    inputs, instructions
        Types of the inputs, and the operators.
    within
        Of a program for parts of one block: the boxes of values of which that block has several.
        A part reads and computes boxes that each lie in one of them: two that lie near each other
        in different ones are not merged.
    devices
        Those on which the inputs lie, each None for the host; () if all are there.
    in_runs
        Of which inputs a worker has blocks that follow each other; () if nothing is known of any.
    piece_bytes
        Bytes that a piece of a block takes, where workers have little memory; None for the usual.
    """

    inputs: tuple[TensorType, ...]
    instructions: tuple[Instruction, ...]
    within: Within = ()
    devices: tuple[BlockFormat | None, ...] = ()
    in_runs: tuple[bool, ...] = ()
    piece_bytes: int | None = None

    @property
    def most_at_once(self) -> int:
        """Bytes that a block takes at most which is computed as a whole, not piece by piece."""
        return PIECE_BYTES if self.piece_bytes is None else self.piece_bytes

    @property
    def type(self) -> TensorType:
        """Type of the output."""
        return self.instructions[-1].type if self.instructions else self.inputs[-1]

    @cached_property
    def types(self) -> tuple[TensorType, ...]:
        """Type of every value."""
        return (*self.inputs, *[i.type for i in self.instructions])

    def instruction(self, value: int) -> Instruction:
        """What computes a value that is no input."""
        return self.instructions[value - len(self.inputs)]

    @cached_property
    def lasting(self) -> tuple[Invariants, ...]:
        """What is true of each instruction in every block."""
        return tuple([Invariants.of(i.operator, i.types) for i in self.instructions])

    def passes(self, work: Work) -> bool:
        """Whether a computation joins what is one part alone, and yields that."""
        return self.lasting[work.value - len(self.inputs)].passes_alone and work.reads_one

    def copies(self, work: Work) -> bool:
        """Whether what a computation makes is no view of what it reads."""
        return self.lasting[work.value - len(self.inputs)].copies and not self.passes(work)

    @cached_property
    def multithreaded(self) -> bool:
        """Whether a kernel of it starts threads of its own."""
        return any(i.operator.multithreaded for i in self.instructions)

    @cached_property
    def device(self) -> BlockFormat | None:
        """The device that computes instructions of it; None if the host computes all."""
        return device_among([i.device for i in self.instructions])

    @cached_property
    def plain(self) -> tuple[bool, ...]:
        """Whether each value's blocks are arrays."""
        return tuple([isinstance(type_.dtype, np.dtype) for type_ in self.types])

    @cached_property
    def paces(self) -> Mapping[int, int]:
        """Steps along the first axis in which a value's only reader picks cells, by the value."""
        by_value: dict[int, int] = {}
        for source in range(len(self.types) - 1):
            readers = [i for i in self.instructions if source in i.inputs]
            if len(readers) != 1 or len(readers[0].inputs) != 1 or not self.types[source].ndim:
                continue
            (reader,) = readers
            cells = reader.operator.cell_map(reader.types) if reader.operator.is_view else None
            steps = [abs(n) for n in cells.matrix[0] if n] if cells is not None else []
            if len(steps) == 1 and steps[0] > 1:
                by_value[source] = steps[0]
        return by_value

    @cached_property
    def codecs(self) -> tuple[str, ...]:
        """What encodes the cells that it reads from stores, and those that it writes there."""
        pairs = zip([i.operator for i in self.instructions], self.lasting, strict=True)
        met = [one for one, lasting in pairs if lasting.is_sink or lasting.stored]
        codecs = ([x.codec for x in met if isinstance(x, kind)] for kind in (Source, Sink))
        return tuple([min(names, key=PLAIN_CODEC.__eq__, default=PLAIN_CODEC) for names in codecs])

    @cached_property
    def confirming(self) -> tuple[tuple[int, Instruction], ...]:
        """Instructions that read what others may write, by the numbers of their values."""
        values = enumerate(self.instructions, start=len(self.inputs))
        return tuple(
            (value, one)
            for value, one in values
            if isinstance(one.operator, Source) and one.operator.may_change
        )

    @cached_property
    def asked_shares(self) -> Mapping[int, float]:
        """Stored values that a kernel reads, once, where it is asked to; the most that it reads.

        A device is given whole values.
        """
        if self.device is not None:
            return {}
        readers: dict[int, list[Instruction]] = defaultdict(list)
        for one in self.instructions:
            for value in one.inputs:
                readers[value].append(one)
        stored = [
            (value, some[0])
            for value, some in readers.items()
            if len(some) == 1 and some[0].operator.reads_asked and value >= len(self.inputs)
            if isinstance(self.instruction(value).operator, Source)
        ]
        return {value: one.operator.asked_share(one.types) for value, one in stored}

    @property
    def hands_over(self) -> bool:
        """Whether a block may come in memory of its own, which nobody else has."""
        return bool(self.instructions) and self.instructions[-1].operator.hands_over

    @cached_property
    def granularity(self) -> tuple[tuple[int, ...] | None, ...]:
        """For each instruction, the cells along each axis that it computes together; 0 for all.

        None where any cut will do, as of a selector of what is given: that is computed already.
        """
        given = len(self.inputs)
        return tuple(
            [self._together(i, max(i.inputs, default=given) < given) for i in self.instructions]
        )

    @staticmethod
    def _together(instruction: Instruction, is_of_given: bool) -> tuple[int, ...] | None:
        if is_of_given and instruction.operator.is_selector:
            return None
        cells = instruction.operator.granularity(instruction.types)
        return cells if set(cells) - {1} else None

    @cached_property
    def reads_single_boxes(self) -> bool:
        """Whether each value is read in one box for any box of the output."""
        reads = [value for i in self.instructions for value in i.inputs]
        plain = all(lasting.demand for lasting in self.lasting)
        return plain and len(reads) == len(set(reads))

    @cached_property
    def _hash(self) -> int:
        told = self.within, self.devices, self.in_runs, self.piece_bytes
        return hash((self.inputs, self.instructions, told))

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _schedules(self) -> dict[object, InstructionSchedule]:
        return {}

    @cached_property
    def whole_boxes(self) -> dict[ZRange, int]:
        """Boxes of the output that are computed whole, and for pieces of how many bytes.

        That much is true of equal programs on other data too.
        """
        return {}

    @cached_property
    def known_accesses(self) -> dict[Any, Any]:
        """What is known of all blocks, by how the output is cut."""
        return {}

    @cached_property
    def found(self) -> dict[str, Any]:
        """What functions have found of this very object, by their names.

        They remember it of equal programs, too, which takes longer to look up than a small block.
        """
        return {}

    @cached_property
    def known_calls(self) -> dict[int, Any]:
        """What workers know of the calls for a block, by the number of its schedule's object."""
        return {}

    def __getstate__(self) -> dict[str, Any]:
        return {
            "inputs": self.inputs,
            "instructions": self.instructions,
            "within": self.within,
            "devices": self.devices,
            "in_runs": self.in_runs,
            "piece_bytes": self.piece_bytes,
        }

    def schedule(self, box: ZRange, rounded: bool = True) -> InstructionSchedule:
        """Follow the demands of the output's cells `box` back to the inputs.

        Values in between are computed in boxes whose edges lie between cells that are computed
        together. For an empty box that an operator reads nothing is computed: of joined values, a
        block needs none of those that do not meet it. ``rounded=False`` tells how boxes move: these
        are not rounded, and empty ones are there.
        """
        key = box.lo, box.hi, rounded  # found sooner than by the box
        schedule = self._schedules.get(key)
        if schedule is None:
            if len(self._schedules) >= SCHEDULES_REMEMBERED:
                for oldest in list(self._schedules)[: SCHEDULES_REMEMBERED // 2]:
                    self._schedules.pop(oldest, None)
                self.whole_boxes.clear()
            schedule = self._schedules[key] = self._schedule(box, rounded)
        return schedule

    def _schedule(self, box: ZRange, rounded: bool) -> InstructionSchedule:
        first, count = len(self.inputs), len(self.types)
        boxes_read: dict[int, list[ZRange]] = defaultdict(list)  # few of many: of a stack, one
        boxes_read[count - 1].append(box)
        boxes: list[tuple[ZRange, ...]] = [()] * count
        works: list[Work] = []
        outer, plain, instructions = dict(self.within), self.plain, self.instructions
        granularity = self.granularity if rounded else (None,) * len(instructions)
        nothing = box.is_empty or not rounded  # also boxes without cells move
        for value in range(count - 1, first - 1, -1):
            if value not in boxes_read:
                continue
            value_boxes = boxes_read[value]
            _, inputs, _, type_, *_ = instructions[value - first]
            together = granularity[value - first]
            if together and value < count - 1:
                value_boxes = [rounded_out(b, together, type_.shape) for b in value_boxes]
            lasting = self.lasting[value - first]
            held = tuple(value_boxes)
            if len(held) > 1:
                room = EXTRA_READ if lasting.is_source else EXTRA_CELLS
                held = merged(held, outer.get(value, ()), room)
            boxes[value] = held
            demand = lasting.demand
            for value_box in held:
                if demand is not None:
                    reads = tuple(zip(inputs, demand(value_box), strict=True))
                else:
                    assert lasting.pieces is not None
                    pieces = lasting.pieces(value_box)
                    reads = tuple([(inputs[number], need) for number, need in pieces])
                works.append(Work(value, value_box, reads))
                for source, need in reads:
                    if nothing or not plain[source] or not need.is_empty:
                        boxes_read[source].append(need)
        for value in range(first):
            if value in boxes_read:
                boxes[value] = merged(boxes_read[value], outer.get(value, ()), EXTRA_READ)
        return InstructionSchedule(tuple(boxes), tuple(reversed(works)))

    def with_operators(self, operators: Mapping[int, Operator]) -> Program:
        """The program with other `operators` in its instructions, which read the same boxes."""
        instructions = list(self.instructions)
        for at, operator in operators.items():
            instructions[at] = instructions[at]._replace(operator=operator)
        made = replace(self, instructions=tuple(instructions))
        made.share(self)
        made.__dict__["known_calls"] = self.known_calls  # not those of sources and sinks
        return made

    def share(self, other: Program) -> None:
        """Know what is known of another program that reads the same boxes."""
        self.__dict__["_schedules"] = other._schedules
        self.__dict__["whole_boxes"] = other.whole_boxes
        self.__dict__["known_accesses"] = other.known_accesses

    @cached_property
    def without_data(self) -> Program:
        """The same with slots for what is read and written, and without the values of constants.

        It is equal for all data of these types: no box and no cost depends on them.
        """
        ends = [i.operator for i in self.instructions if isinstance(i.operator, Source | Sink)]
        slots: dict[Operator, Operator] = {
            one: one.slot(number) or one for number, one in enumerate(dict.fromkeys(ends))
        }
        bare = [
            instruction._replace(
                operator=_one_of_equal(
                    slots.get(instruction.operator)
                    or instruction.operator.without_constants(instruction.types)
                ),
                line=None,
            )
            for instruction in self.instructions
        ]
        return replace(self, instructions=tuple(bare))

    def inside(self, boxes: Sequence[tuple[ZRange, ...]]) -> Program:
        """The program for parts of a block that has these `boxes` of each value.

        What a part reads then lies in what the block holds: an operator asks for no more cells
        when fewer of its own are asked for, and boxes are merged in one that is held alone.
        """
        several = [(n, held) for n, held in enumerate(boxes[: len(self.types)]) if len(held) > 1]
        return self._with_extents(tuple(several))

    @property
    def anywhere(self) -> Program:
        """The program for any block."""
        return self._anywhere if self.within else self  # one that held itself would be garbage

    @cached_property
    def _anywhere(self) -> Program:
        return self._with_extents(())

    def _with_extents(self, within: Within) -> Program:
        if within == self.within:
            return self
        made = replace(self, within=within)
        made.__dict__["lasting"], made.__dict__["granularity"] = self.lasting, self.granularity
        return made

    def input_boxes(self, box: ZRange) -> tuple[tuple[ZRange, ...], ...]:
        """Boxes of each external input that the output's cells `box` need."""
        return self.schedule(box).boxes[: len(self.inputs)]


@lru_cache(maxsize=2048)
def _one_of_equal(operator: Operator) -> Operator:
    """The same object for all equal operators.

    What is remembered of them is found by comparing objects then, not dozens of formulas.
    """
    return operator
