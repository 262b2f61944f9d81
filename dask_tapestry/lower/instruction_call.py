"""Calls of instructions: a step's operator by its kernel, or by what reads and writes a store."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from dask_tapestry.compute_errors import compute_error, of_user
from dask_tapestry.lower.aligned_blocks import aligned
from dask_tapestry.lower.device_calls import called_on_device
from dask_tapestry.lower.known_arguments import KnownArguments
from dask_tapestry.memory.buffer_pool import POOL
from dask_tapestry.steps.instruction_schedule import Work
from dask_tapestry.steps.program import Instruction
from dask_tapestry.teg import Sink, Source
from dask_tapestry.teg.users_line import words_at
from dask_tapestry.zspace import ZRange
from dask_tapestry_kernels import format_kernels
from dask_tapestry_kernels.block_format import (
    BlockFormat,
    is_foreign,
    is_on_device,
    with_all_cells,
)
from dask_tapestry_kernels.composite_blocks import Collected
from dask_tapestry_kernels.devices import kernels_of

Block = Any  # an array, or `Collected` ones
PLAIN: Final = frozenset({np.ndarray})


def called(
    instruction: Instruction,
    work: Work,
    blocks: list[Block],
    out: Block | None,
    pace: int = 1,
    known: KnownArguments | None = None,
) -> Any:
    """What an instruction yields for the `blocks` that it reads; errors say where it was written.

    Parameters
    ----------
    out
        Memory for the result, which a kernel may fill; None to let it allocate.
    pace
        Of the first axis of what a source reads, one cell in so many is needed.
    known
        Arguments of the same computation in computes before; it is none of a program's if None.
    """
    try:
        return _call(instruction, work, blocks, out, pace, known)
    except (Exception, SystemExit) as error:  # a function that exits would take a worker with it
        raise compute_error(error, _while_computing(instruction, work)) from of_user(error)


def read_on_device(instruction: Instruction, work: Work, wanted: BlockFormat) -> Block | None:
    """What a source reads to a device itself; None where it is called as all others are."""
    source = instruction.operator
    if not isinstance(source, Source):
        return None
    try:
        return source.read_on_device(work.box, wanted)
    except Exception as error:
        raise compute_error(error, _while_computing(instruction, work)) from error


def _while_computing(instruction: Instruction, work: Work) -> str:
    types = ", ".join(map(str, instruction.types))
    text = f"{instruction.operator.label}({types}), block {work.box} of {_where(instruction)}"
    return f"while computing {text}"


def confirm(instruction: Instruction, boxes: Sequence[ZRange]) -> None:
    """Have a source look again whether what was read is of one version."""
    source = instruction.operator
    assert isinstance(source, Source)
    try:
        source.confirm(boxes)
    except Exception as error:
        text = f"{source.label}(), boxes {', '.join(map(str, boxes))} of {_where(instruction)}"
        raise compute_error(error, f"while computing {text}") from error


def memory_for(instruction: Instruction, box: ZRange) -> Block | None:
    """Memory for a result that stays in this process; None to let the kernel allocate."""
    if not instruction.operator.fills or instruction.device is not None:
        return None
    return POOL.array(box.shape, instruction.type.dtype)


def _where(instruction: Instruction) -> str:
    built = f", built at {instruction.line}" if instruction.line else ""
    words = [w for w in words_at(instruction.line) if w != instruction.operator.label]
    called = f" by {', '.join(words)}" if words else ""  # what the user called, if not this
    return f"{instruction.type}{built}{called}"


def _call(
    instruction: Instruction,
    work: Work,
    blocks: list[Block],
    target: Block | None,
    pace: int,
    known: KnownArguments | None,
) -> Any:
    operator, box = instruction.operator, work.box
    if isinstance(operator, Source):
        return operator.read(box, target) if pace == 1 else operator.read_some(box, target, pace)
    if isinstance(operator, Sink):
        cells: Any = with_all_cells(blocks[0])
        if not isinstance(cells, Collected):
            cells = np.asarray(cells)
        operator.write(box, cells)
        return None
    if known is None:
        arguments = operator.arguments(instruction.types, box, work.boxes)
    else:
        arguments = known.arguments(instruction, work)
    if instruction.device is not None:
        return called_on_device(instruction, instruction.device, blocks, arguments)
    if not PLAIN.issuperset(map(type, blocks)):
        as_given = operator.calls and operator.any_format
        if any(map(is_on_device, blocks)):
            blocks = list(map(with_all_cells, blocks))
        elif not as_given and any(map(is_foreign, blocks)):
            made = format_kernels.computed(operator.kernel, blocks, arguments)
            if made is not None:
                return made
            blocks = list(map(with_all_cells, blocks))
    elif operator.aligned:
        blocks = list(map(aligned, blocks))
    return kernels_of("cpu")[operator.kernel](target, *blocks, **arguments)
