"""Kernels that are called for a device: its own, or the host's where it lacks one.

On the host path inputs are brought to the host, and the kernel of the CPU computes; its result is
brought to where it is held.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

from dask.utils import format_bytes

from dask_tapestry.compute_errors import compute_error
from dask_tapestry.steps.device_values import hands_blocks, why_on_host
from dask_tapestry.steps.program import Instruction, Program
from dask_tapestry.teg import Source, TensorType
from dask_tapestry_kernels.block_format import BlockFormat, with_all_cells
from dask_tapestry_kernels.device_error import KernelDeviceError, UnusableDeviceError
from dask_tapestry_kernels.devices import HANDED_ON, kernels_of

Block = Any


def brought(block: Block, wanted: BlockFormat, program: Program, type_: TensorType) -> Block:
    """A block of a value of a program in a format, such as that of a device's arrays.

    Raises
    ------
    KernelDeviceError
        If there is no such device, or it has no room; the text has the bytes.
    """
    try:
        return wanted.of_block(block)
    except Exception as error:
        label = program.instructions[-1].operator.label if program.instructions else "a value"
        size = format_bytes(prod(block.shape) * type_.dtype.itemsize)
        text = f"while bringing {size} of {type_} to {wanted}, for {label}"
        raise compute_error(error, text) from error


def called_on_device(
    instruction: Instruction,
    device: BlockFormat,
    blocks: Sequence[Block],
    arguments: Mapping[str, Any],
) -> Block:
    """What an instruction of a device yields, on host or device, for blocks that lie anywhere."""
    operator = instruction.operator
    assert not isinstance(operator, Source)
    with device.current():
        if hands_blocks(instruction):
            return kernels_of("cpu")[operator.kernel](None, *blocks, **arguments)
        if operator.kernel == HANDED_ON:
            return blocks[0]
        if why_on_host(instruction) is not None:
            return _on_host(operator.kernel, blocks, arguments)
        return _on_device(operator.kernel, device, blocks, arguments)


def _on_device(
    kernel: str, device: BlockFormat, blocks: Sequence[Block], arguments: Mapping[str, Any]
) -> Block:
    """Call the device's kernel, or the host's if the device's refuses these cells.

    Without a device, or what loads a kernel, nothing is computed: that would not be told by a plan.
    """
    on_device = [device.of_block(block) for block in blocks]
    try:
        return kernels_of(device.kind)[kernel](None, *on_device, **arguments)
    except UnusableDeviceError:
        raise
    except KernelDeviceError:
        return _on_host(kernel, on_device, arguments)


def _on_host(kernel: str, blocks: Sequence[Block], arguments: Mapping[str, Any]) -> Block:
    return kernels_of("cpu")[kernel](None, *map(with_all_cells, blocks), **arguments)
