"""The formulas at the end of a step's program, which a worker computes in tiles that stay in cache.

What one formula writes and the next one reads need not go through memory: where nothing else reads
it, a tile of each is computed after the other, and no block of it is ever there.
"""

from __future__ import annotations

from collections import defaultdict
from functools import lru_cache
from typing import NamedTuple

from dask_tapestry.steps.instruction_schedule import InstructionSchedule
from dask_tapestry.steps.program import Program


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


def _readers(program: Program) -> dict[int, set[int]]:
    readers: dict[int, set[int]] = defaultdict(set)
    for value, instruction in enumerate(program.instructions, start=len(program.inputs)):
        for source in instruction.inputs:
            readers[source].add(value)
    return readers
