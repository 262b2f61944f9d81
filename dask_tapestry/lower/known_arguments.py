"""Known arguments: what kernels are called with for a block, found once for all of its computes.

They depend on the box alone, and a block of few cells is computed in less time than it takes to
find them again. Those of the user's functions are made each time, as are those that take memory or
could be written to.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any, Final

import numpy as np

from dask_tapestry.lower.tuning import LONGEST_ARGUMENT
from dask_tapestry.steps.instruction_schedule import InstructionSchedule, Work
from dask_tapestry.steps.program import Instruction, Program
from dask_tapestry.steps.tuning import SCHEDULES_REMEMBERED

Arguments = Mapping[str, Any]
FIXED: Final = (int, float, complex, str, type(None), np.generic, np.dtype, slice, range, Enum)


class KnownArguments:
    """Arguments of the computations of one schedule of a program.

    Parameters
    ----------
    schedule
        It is held, so that its computations are known by what objects they are.
    """

    __slots__ = ("_found", "_schedule")

    def __init__(self, schedule: InstructionSchedule) -> None:
        self._schedule = schedule
        self._found: dict[int, Arguments] = {}

    @classmethod
    def of(cls, program: Program, schedule: InstructionSchedule) -> KnownArguments:
        """Those that are known of a program's schedule."""
        by_schedule = program.known_calls
        known: KnownArguments | None = by_schedule.get(id(schedule))
        if known is None:
            if len(by_schedule) >= SCHEDULES_REMEMBERED:
                by_schedule.clear()
            known = by_schedule[id(schedule)] = cls(schedule)
        return known

    def arguments(self, instruction: Instruction, work: Work) -> Arguments:
        """What the kernel of an instruction is called with for one box."""
        known = self._found.get(id(work))
        if known is not None:
            return known
        operator = instruction.operator
        made = operator.arguments(instruction.types, work.box, work.boxes)
        lasts = not operator.calls and all(map(_is_fixed, made.values()))
        if lasts and self._schedule.is_own(work):
            self._found[id(work)] = made
        return made


def _is_fixed(value: object) -> bool:
    """Whether an argument is little, and cannot be written to."""
    if isinstance(value, tuple):
        return len(value) <= LONGEST_ARGUMENT and all(map(_is_fixed, value))
    if isinstance(value, FIXED):
        return True
    parameters = getattr(value, "__dataclass_params__", None)
    return parameters is not None and parameters.frozen
