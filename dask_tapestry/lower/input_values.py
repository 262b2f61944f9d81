"""Inputs of a block: arrays and blocks of producers, as values of its program."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from math import prod
from typing import Any

from dask_tapestry.lower.assemble import assemble, assemble_as_held
from dask_tapestry.lower.step_spec import StepSpec
from dask_tapestry.steps.instruction_schedule import InstructionSchedule
from dask_tapestry.zspace import block_range
from dask_tapestry_kernels.block_format import is_on_device


def given_blocks(
    spec: StepSpec, schedule: InstructionSchedule, given: Sequence[Any]
) -> Sequence[Any]:
    """The boxes of inputs that a block reads, in the order of the schedule's boxes.

    They are joined of blocks where these lie: on a device, or in the format that functions take.
    Arguments that follow them are none of them.
    """
    values: list[Any] = []
    remaining_blocks = iter(given)
    for value, cuts in enumerate(spec.input_cuts):
        for box in schedule.boxes[value]:
            if cuts is None:
                values.append(next(remaining_blocks))
                continue
            blocks = list(islice(remaining_blocks, prod(map(len, block_range(cuts, box)))))
            as_held = value in spec.foreign_inputs or is_on_device(blocks[0])
            values.append((assemble_as_held if as_held else assemble)(box, cuts, blocks))
    return values
