"""The formulas at the end of a step's program, which a worker computes in tiles that stay in cache.

What one formula writes and the next one reads need not go through memory: where nothing else reads
it, a tile of each is computed after the other, and no block of it is ever there.
"""

from __future__ import annotations

from collections import defaultdict
from functools import lru_cache
from typing import NamedTuple

from dask_tapestry.steps.instruction_schedule import InstructionSchedule, Work
from dask_tapestry.steps.peak import peak_bytes, peak_of
from dask_tapestry.steps.program import Program
from dask_tapestry.zspace import ZRange


class FormulaPart(NamedTuple):
    """The part of a program that is computed in tiles: the program up to it, and its values."""

    program: Program
    values: frozenset[int]

    @property
    def goal(self) -> int:
        """The value that is computed."""
        return len(self.program.types) - 1

    def for_block(self, schedule: InstructionSchedule) -> FormulaPart:
        """The part for the tiles and slabs of a block with this schedule."""
        return self._replace(program=self.program.inside(schedule.boxes))


def formula_part(program: Program) -> FormulaPart | None:
    """Return the formulas, with the views between them, up to the last one, which the rest reads.

    None where there are not several of them that nothing else reads. A value without dimensions is
    the same for all tiles: it is computed once, before them.
    """
    found = program.found
    if "formula_part" not in found:
        found["formula_part"] = _formula_part(program)
    part: FormulaPart | None = found["formula_part"]
    return part


@lru_cache(maxsize=256)
def _formula_part(program: Program) -> FormulaPart | None:
    first = len(program.inputs)
    last = len(program.types) - 1
    while last >= first and not program.instruction(last).operator.is_formula:
        sources = program.instructions[last - first].inputs
        if sources != (last - 1,):
            return None
        last -= 1
    formulas: set[int] = set()
    readers = _readers(program)
    for value in range(last, first - 1, -1):
        operator = program.instruction(value).operator
        suits = (operator.is_formula or operator.is_view) and program.types[value].ndim
        if value == last or (suits and readers[value] <= formulas):
            formulas.add(value)
    if sum(program.instruction(value).operator.is_formula for value in formulas) < 2:
        return None
    if any(program.types[value].dtype.hasobject for value in formulas):  # tiles share bytes
        return None
    instructions = program.instructions[: last - first + 1]
    own = Program(program.inputs, instructions, piece_bytes=program.piece_bytes)
    return FormulaPart(own, frozenset(formulas))


@lru_cache(maxsize=256)
def part_that_fits(part: FormulaPart, program: Program, box: ZRange) -> FormulaPart | None:
    """The last formulas of a part, of which a block takes no more memory in tiles than in order.

    All that a tile reads is there at once: of files that are added, all of them. In order, each is
    there until it is added. None where less than two formulas are left.
    """
    first = len(program.inputs)
    read = {x for value in part.values for x in program.instruction(value).inputs}
    if sum(x >= first and x not in part.values for x in read) < 2:
        return part
    most = peak_of(program, box).all
    ends = sorted(v for v in part.values if program.instruction(v).operator.is_formula)
    few, many = 1, len(ends)  # formulas
    while few < many:
        middle = -(-(few + many) // 2)
        fits = _bytes_in_tiles(_last(part, ends[-middle]), program, box) <= most
        few, many = (middle, many) if fits else (few, middle - 1)
    whole = few == len(ends)
    return part if whole else _last(part, ends[-few]) if few > 1 else None


def _last(part: FormulaPart, value: int) -> FormulaPart:
    """The values from one on."""
    return part._replace(values=frozenset(v for v in part.values if v >= value))


def _bytes_in_tiles(part: FormulaPart, program: Program, box: ZRange) -> int:
    """Bytes that a block takes at most of which a part is computed in tiles."""
    schedule = program.schedule(box)
    works: list[Work] = []
    read: list[tuple[int, ZRange]] = []
    for work in schedule.works:
        if work.value in part.values:
            read += [one for one in work.reads if one[0] not in part.values]
        if work.value not in part.values:
            works.append(work)
        elif work.value == part.goal:
            works.append(work._replace(reads=tuple(dict.fromkeys(read))))
    return peak_bytes(program, InstructionSchedule(schedule.boxes, tuple(works))).all


def _readers(program: Program) -> dict[int, set[int]]:
    readers: dict[int, set[int]] = defaultdict(set)
    for value, instruction in enumerate(program.instructions, start=len(program.inputs)):
        for source in instruction.inputs:
            readers[source].add(value)
    return readers
