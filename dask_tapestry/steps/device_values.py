"""Values of a step on a device: where each lies, what crosses the link, what the host computes.

Planner and workers ask the same functions. A value that a device's kernels alone read is brought
there once, when it comes; one that the host reads is brought to it for each reader.
"""

from __future__ import annotations

from collections import defaultdict
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from dask_tapestry.steps.instruction_schedule import InstructionSchedule
from dask_tapestry.steps.program import Instruction, Program
from dask_tapestry.teg import Node, Source
from dask_tapestry.zspace import ZRange
from dask_tapestry_kernels.block_format import BlockFormat
from dask_tapestry_kernels.devices import has_cells, lacking

Device = BlockFormat | None  # None for the host


def why_on_host(instruction: Instruction) -> str | None:
    """Why the host computes an instruction of a device; None if the device does.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> from dask_tapestry_kernels.block_format import on_cuda
    >>> x = dt.ndimage.spline_filter1d(dt.ones(8)).node
    >>> one = Instruction(x.operator, (0,), x.input_types, x.type, device=on_cuda())
    >>> why_on_host(one)
    'no kernel'
    """
    operator = instruction.operator
    if instruction.device is None or isinstance(operator, Source) or hands_blocks(instruction):
        return None
    kind, dtypes = instruction.device.kind, [x.dtype for x in instruction.types]
    why = lacking(kind, operator.kernel, dtypes, instruction.type.dtype)
    return operator.lacking_on(kind) if why is None else why


def lying_on(node: Node) -> Device:
    """The device on which blocks of a node lie between steps; None for the host.

    Outputs and buckets lie where they are made, arrays where their reader is told to find them.
    """
    known, dtype = node.format, node.type.dtype
    if known is None or not known.holds(dtype):
        return None
    made = Instruction(node.operator, (), node.input_types, node.type, device=known)
    is_array = issubclass(type(dtype), np.dtype)
    return known if is_array or why_on_host(made) is None else None


def hands_blocks(one: Instruction) -> bool:
    """Whether an instruction calls a function of the user, with blocks as they are held."""
    return one.operator.calls and one.operator.any_format


def host_paths(program: Program) -> tuple[tuple[Instruction, str], ...]:
    """The instructions of a device that the host computes, each with the reason."""
    found = [(one, why_on_host(one)) for one in program.instructions]
    return tuple([(one, why) for one, why in found if why is not None])


class ValuePlaces(NamedTuple):
    """Where the values of a program lie, each by its number.

    Attributes
    ----------
    held
        The device on which a value lies while it is read.
    made
        That on which it is given or computed.
    reads
        For each instruction, that whose memory its kernel reads.
    """

    held: tuple[Device, ...]
    made: tuple[Device, ...]
    reads: tuple[Device, ...]


def value_places(program: Program) -> ValuePlaces | None:
    """Where the values of a program lie; None if all are on the host."""
    if program.device is None and not any(program.devices):
        return None
    return _value_places(program)


@lru_cache(maxsize=1024)
def _value_places(program: Program) -> ValuePlaces:
    reads = tuple(
        [
            None if why_on_host(instruction) else instruction.device
            for instruction in program.instructions
        ]
    )
    input_devices = program.devices or (None,) * len(program.inputs)
    devices = (
        *input_devices,
        *[_made_on(*pair) for pair in zip(program.instructions, reads, strict=True)],
    )
    readers: dict[int, set[Device]] = defaultdict(set)
    for instruction, own in zip(program.instructions, reads, strict=True):
        for source in instruction.inputs:
            readers[source].add(own)
    if program.instructions:
        readers[len(program.types) - 1] = {program.instructions[-1].device}
    held = [
        _held_on(own, readers[value], type_.dtype)
        for value, (own, type_) in enumerate(zip(devices, program.types, strict=True))
    ]
    return ValuePlaces(tuple(held), devices, reads)


def _made_on(one: Instruction, reads: Device) -> Device:
    """The device in whose memory an instruction's value is made, given where its inputs lie."""
    return reads if reads is not None and has_cells(reads.kind, one.type.dtype) else None


def _held_on(made: Device, readers: set[Device], dtype: np.dtype[Any]) -> Device:
    if made is not None or len(readers) != 1:
        return made
    (reader,) = readers
    return reader if reader is not None and has_cells(reader.kind, dtype) else None


def link_bytes(program: Program, box: ZRange) -> int:
    """Bytes that go between host and device for the cells `box` of a program's output."""
    return 0 if value_places(program) is None else crossing_bytes(program, program.schedule(box))


def crossing_bytes(program: Program, schedule: InstructionSchedule) -> int:
    """Bytes that go between host and device for a block of a program with such a schedule."""
    where = value_places(program)
    if where is None:
        return 0
    first, total = len(program.inputs), 0
    for value, boxes in enumerate(schedule.boxes):
        if where.made[value] != where.held[value]:
            total += sum([b.size for b in boxes]) * program.types[value].dtype.itemsize
    for work in schedule.works:
        own = where.reads[work.value - first]
        for source, need in work.reads:
            if where.held[source] != own:
                total += need.size * program.types[source].dtype.itemsize
    return total
