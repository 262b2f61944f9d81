"""Programs: what a step computes for one block, as a flat list of operators.

Value i is an external input for the first few i, then the result of an instruction; the last value
is the step's output. For any box of the output, `Program.schedule` follows the operators' demands
back to the inputs: that is how slices, permutes and broadcasts reach the sources, how a plan knows
what a block reads and needs in memory, and what a worker then executes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from dask_tapestry.teg import Operator, TensorType
from dask_tapestry.teg.operator import Types
from dask_tapestry.zspace import ZRange

FEW_CELLS = 64
SCHEDULES = 64  # that a program remembers: a block's is needed by its task and when that runs


class Instruction(NamedTuple):
    """An operator applied to earlier values; `line` is where the user wrote it."""

    operator: Operator
    inputs: tuple[int, ...]
    types: Types
    type: TensorType
    line: str | None = None


class Work(NamedTuple):
    """Compute cells `box` of value `value` from boxes of other values, each with its number."""

    value: int
    box: ZRange
    reads: tuple[tuple[int, ZRange], ...]

    @property
    def boxes(self) -> tuple[ZRange, ...]:
        """The boxes alone."""
        return tuple([box for _, box in self.reads])


@dataclass(frozen=True)
class Schedule:
    """The computations that one box of the output needs, in order.

    Attributes
    ----------
    boxes
        For each value, the boxes of it that are read or computed; they do not contain each other.
    works
        The computations, inputs first.
    """

    boxes: tuple[tuple[ZRange, ...], ...]
    works: tuple[Work, ...]

    def holder(self, value: int, box: ZRange) -> ZRange:
        """The box of `value` that is held and contains `box`."""
        held = self.boxes[value]
        if len(held) == 1:
            return held[0]
        return next(h for h in held if h.contains(box))


@dataclass(frozen=True)
class Program:
    """Operators in order; see the module's text."""

    inputs: tuple[TensorType, ...]
    instructions: tuple[Instruction, ...]

    @property
    def type(self) -> TensorType:
        """Type of the output."""
        return self.instructions[-1].type if self.instructions else self.inputs[-1]

    @cached_property
    def types(self) -> tuple[TensorType, ...]:
        """Type of every value."""
        return (*self.inputs, *[i.type for i in self.instructions])

    @cached_property
    def multithreaded(self) -> bool:
        """Whether a kernel of it starts threads of its own."""
        return any(i.operator.multithreaded for i in self.instructions)

    @cached_property
    def granularity(self) -> tuple[tuple[int, ...] | None, ...]:
        """For each instruction, the cells along each axis that it computes together; 0 for all.

        None where any cut will do.
        """
        found = [i.operator.granularity(i.types) for i in self.instructions]
        return tuple([cells if set(cells) - {1} else None for cells in found])

    @cached_property
    def reads_single_boxes(self) -> bool:
        """Whether each value is read in one box for any box of the output."""
        reads = [value for i in self.instructions for value in i.inputs]
        plain = all(type(i.operator).pieces is Operator.pieces for i in self.instructions)
        return plain and len(reads) == len(set(reads))

    @cached_property
    def _hash(self) -> int:
        return hash((self.inputs, self.instructions))

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _schedules(self) -> dict[tuple[ZRange, bool], Schedule]:
        return {}

    @cached_property
    def found(self) -> dict[Any, Any]:
        """What is known of all blocks, by how the output is cut."""
        return {}

    def __getstate__(self) -> dict[str, Any]:
        return {"inputs": self.inputs, "instructions": self.instructions}

    def schedule(self, box: ZRange, rounded: bool = True) -> Schedule:
        """Follow the demands of the output's cells `box` back to the inputs.

        Values in between are computed in boxes whose edges lie between cells that are computed
        together; with ``rounded=False`` they are not, which tells how boxes move.
        """
        known = self._schedules.get((box, rounded))
        if known is None:
            if len(self._schedules) >= SCHEDULES:
                self._schedules.clear()
            known = self._schedules[box, rounded] = self._schedule(box, rounded)
        return known

    def _schedule(self, box: ZRange, rounded: bool) -> Schedule:
        first = len(self.inputs)
        count = first + len(self.instructions)
        wanted: list[list[ZRange]] = [[] for _ in range(count)]
        wanted[-1].append(box)
        boxes: list[tuple[ZRange, ...]] = [()] * count
        works: list[Work] = []
        for value in range(count - 1, -1, -1):
            boxes[value] = merged(wanted[value])
            if value < first:
                continue
            instruction = self.instructions[value - first]
            together = self.granularity[value - first] if rounded else None
            if together and value < count - 1:
                shape = instruction.type.shape
                boxes[value] = merged([rounded_out(b, together, shape) for b in wanted[value]])
            for held in boxes[value]:
                pieces = instruction.operator.pieces(instruction.types, held)
                reads = tuple([(instruction.inputs[number], box) for number, box in pieces])
                works.append(Work(value, held, reads))
                for source, need in reads:
                    wanted[source].append(need)
        return Schedule(tuple(boxes), tuple(reversed(works)))

    def with_operators(self, operators: Mapping[int, Operator]) -> Program:
        """The same with other `operators` in instructions, which read the same boxes."""
        instructions = list(self.instructions)
        for at, operator in operators.items():
            instructions[at] = instructions[at]._replace(operator=operator)
        made = Program(self.inputs, tuple(instructions))
        made.__dict__["_schedules"] = self._schedules
        made.__dict__["found"] = self.found
        return made

    def input_boxes(self, box: ZRange) -> tuple[tuple[ZRange, ...], ...]:
        """Boxes of each external input that the output's cells `box` need."""
        return self.schedule(box).boxes[: len(self.inputs)]


def rounded_out(box: ZRange, together: tuple[int, ...], shape: tuple[int, ...]) -> ZRange:
    """The smallest box that holds `box` and whose edges are between cells computed together.

    An empty box stays as it is.
    """
    if box.is_empty:
        return box
    lo = [a // n * n if n else 0 for a, n in zip(box.lo, together, strict=True)]
    ends = zip(box.hi, together, shape, strict=True)
    return ZRange(lo, [min(-(-b // n) * n, extent) if n else extent for b, n, extent in ends])


def merged(boxes: list[ZRange]) -> tuple[ZRange, ...]:
    """Boxes that together hold all `boxes`: their hull, unless it is larger than they are.

    A hull of few cells is always taken: in a chain of stencils boxes would multiply.
    """
    if len(boxes) < 2:
        return tuple(boxes)
    distinct = list(dict.fromkeys(boxes))
    if len(distinct) == 1:
        return (distinct[0],)
    hull = distinct[0]
    for box in distinct[1:]:
        hull = hull.hull(box)
    if hull.size <= max(FEW_CELLS, sum(box.size for box in distinct)):
        return (hull,)
    outer = [b for b in distinct if not any(o is not b and o.contains(b) for o in distinct)]
    filled = [b for b in outer if not b.is_empty]
    return tuple(filled or outer[:1])
