"""Executes a worker's task: one block of one step, computed of its inputs, put in its place."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from dask_tapestry.errors import ComputeError
from dask_tapestry.idle_threads import busy_thread
from dask_tapestry.lower.blocks_one_by_one import one_by_one
from dask_tapestry.lower.dask_private import travels_from_here
from dask_tapestry.lower.device_calls import brought
from dask_tapestry.lower.device_turns import on_a_device
from dask_tapestry.lower.frame import block_frame
from dask_tapestry.lower.input_values import given_blocks
from dask_tapestry.lower.instruction_call import confirm
from dask_tapestry.lower.ready_block import ReadyBlock
from dask_tapestry.lower.result_buffer import ResultBuffer
from dask_tapestry.lower.schedule_walk import walk
from dask_tapestry.lower.step_spec import StepSpec
from dask_tapestry.lower.values_until_last_use import Block
from dask_tapestry.memory.buffer_pool import owned
from dask_tapestry.steps.streaming import block_schedule_of
from dask_tapestry_kernels.blas_threads import threads_each
from dask_tapestry_kernels.block_format import is_on_device, with_all_cells
from dask_tapestry_kernels.devices import kernels_of
from dask_tapestry_kernels.floating_point import listening
from dask_tapestry_kernels.stopping import StoppedError, stoppable


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
        schedule: the array itself, or the producer's blocks that meet it in C order. Extra
        arguments only express dependencies.
    """
    try:
        stopping, device = stoppable(spec.stop.stop_check()), on_a_device(spec.device, given)
        with stopping, one_by_one(spec.turns), device, busy_thread(spec.cores):
            return _block(spec, index, out, given)
    except StoppedError:
        raise spec.stop.error() from None
    except ComputeError as error:
        if not travels_from_here(error.__cause__):
            error.__cause__ = None  # it would take the error with it, whose text says it too
        raise


def _block(
    spec: StepSpec, index: tuple[int, ...], out: ResultBuffer, arguments: tuple[Any, ...]
) -> Any:
    """Compute block `index` of a step, as long as it is wanted."""
    box, program = spec.box(index), spec.program
    block = block_schedule_of(program, box)
    target = out.box(box) if out.is_local else None
    given = given_blocks(spec, block.schedule, arguments)
    ready = ReadyBlock.of(block)
    if ready is not None:
        result = _heard(spec, partial(ready.run, given, target))
    else:
        values = dict(zip(block.schedule.numbers, given, strict=False))  # inputs come first
        result = _heard(spec, partial(walk, block_frame(block, values, target)))
    for value, instruction in program.confirming:
        confirm(instruction, program.schedule(box).boxes[value])
    return _delivered(spec, out, target, result)


def _heard(spec: StepSpec, compute: Callable[[], Block]) -> Block:
    """The output of a block's program, computed while floating-point errors are listened to."""
    with threads_each(spec.threads if spec.program.multithreaded else None):
        if spec.heard is None:
            return compute()
        with listening(spec.heard.kinds, spec.heard.known) as texts:
            result = compute()
        spec.heard.take(texts)
        return result


def _delivered(spec: StepSpec, out: ResultBuffer, target: Block | None, result: Block) -> Block:
    """The block as the task returns it: in the format of the step, or in the `target`."""
    program = spec.program
    if spec.format is not None and (program.plain[-1] or is_on_device(result)):
        return brought(result, spec.format, program, program.type)
    result = with_all_cells(result)
    if target is None:
        return result if result is None else owned(result)
    if result is target or (type(result) is not np.ndarray and not out.kept):
        return result
    if program.hands_over and out.adopt(result):
        return result
    if type(result) is np.ndarray and not result.flags.c_contiguous:
        return kernels_of("cpu")["copycells"](target, result)
    target[...] = result
    return target
