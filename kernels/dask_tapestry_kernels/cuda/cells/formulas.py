"""Formulas of cells on a GPU: fused maps over blocks of any strides."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cuda.cells.formula_texts import formula_program
from dask_tapestry_kernels.cuda.jit.runtime import Block, Runtime, blocks_for, runtime
from dask_tapestry_kernels.device_error import KernelDeviceError
from dask_tapestry_kernels.formulas.formula_steps import formula_steps
from dask_tapestry_kernels.formulas.merged_dims import merged
from dask_tapestry_kernels.kernel_table import Kernel

NARROW: Final = 2**31  # numbers of cells below are divided in 32 bits


def evaluate(out: Block | None, *blocks: Block, expression: Any) -> Block:
    """Evaluate a cell expression on blocks of one shape, one for each of its parameters.

    The result has the shape of the blocks and the dtype of the expression, and the CPU's bits; of a
    NaN sign and payload are the device's. No flags of floats are raised here.

    Raises
    ------
    KernelDeviceError
        If a step is not supported on a GPU, as of dates and texts.
    """
    gpu = runtime()
    result = out
    if result is None or not gpu.is_addressed_by_cells(result):
        result = gpu.empty(blocks[0].shape, expression.dtype)
    if not result.size:
        return result
    operands = [b if gpu.is_addressed_by_cells(b) else gpu.in_order(b) for b in blocks]
    _launch(gpu, result, operands, expression)
    return result


def _launch(gpu: Runtime, result: Block, blocks: list[Block], expression: Any) -> None:
    arrays = [*blocks, result]
    extents, strides = merged(arrays)
    steps = [
        [stride // a.itemsize for stride in own] for a, own in zip(arrays, strides, strict=True)
    ]
    straight = all(own == [1] for own in steps)
    rank, wide = 0 if straight else len(extents), result.size >= NARROW
    program = formula_program(expression, rank, wide)
    if program is None:
        dtypes = ", ".join(dict.fromkeys(str(dtype) for dtype in expression.parameters))
        raise KernelDeviceError(f"kernel map: {expression} of {dtypes} is not supported on a GPU")
    word = np.uint64 if wide else np.uint32
    arguments: list[Any] = [np.int64(result.size)]
    if rank:
        arguments += [word(extent) for extent in extents[1:]]
        arguments += [np.int64(step) for own in steps for step in own]
    arguments += blocks
    arguments += [handed(constant) for constant in formula_steps(expression).constants]
    arguments.append(result)
    gpu.launch(program, blocks_for(result.size, gpu), arguments)


def handed(constant: Any) -> Any:
    """A constant as it is handed to a kernel: a half as the float32 of its value."""
    return np.float32(constant) if constant.dtype.char == "e" else constant


KERNELS: Final[dict[str, Kernel]] = {
    "map": evaluate,
}
