"""Threads of a user on a GPU: a body that is a formula of views is one launch a result."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from dask_tapestry_kernels import cuda
from dask_tapestry_kernels.cuda.blocks.thread_launch import of_threads
from dask_tapestry_kernels.cuda.jit.runtime import Block, runtime
from dask_tapestry_kernels.device_error import KernelDeviceError
from dask_tapestry_kernels.kernel_table import Kernel
from dask_tapestry_kernels.output_blocks import OutputBlocks, OutputShape


def threads(
    out: Block | None,  # noqa: ARG001
    *blocks: Block,
    function: Any,
    shape: tuple[int, ...],
    keep: tuple[slice, ...],
    dtype: np.dtype[Any],
    parts: Any = None,
    calls: Any = None,
    foreign: bool = False,  # noqa: ARG001
) -> Block:
    """Compute a body for all threads of a block; ids become blocks and threads of the GPU.

    Parameters
    ----------
    function
        Holds a `thread_body`, which calls kernels of this device.
    shape, dtype
        Of what it returns.
    keep
        The cells of it that are wanted.
    parts, calls
        None: windows that lie apart are called for on the host.

    Raises
    ------
    KernelDeviceError
        If the body has no meaning on a GPU, or is called for windows that lie apart.
    """
    if parts is not None or calls is not None:
        raise KernelDeviceError("kernel threads: threads that lie apart are called on the host")
    made = of_threads(cuda.KERNELS, runtime(), function.function.thread_body, *blocks)
    if (made.shape, made.dtype) != (shape, dtype):
        raise KernelDeviceError(f"kernel threads: {made.dtype} of {made.shape} for {dtype}{shape}")
    return made[(*keep, ...)]


def thread_outputs(
    out: None,  # noqa: ARG001
    *blocks: Block,
    function: Any,
    points: tuple[int, ...],
    outputs: tuple[OutputShape, ...],
    numbers: tuple[int, ...],
    returned: int,
) -> OutputBlocks:
    """Compute a body with several results, of which those with some `numbers` are `outputs`.

    Parameters
    ----------
    function
        As of `threads`.
    points
        How many threads there are of each id.
    returned
        How many results the body has.

    Raises
    ------
    KernelDeviceError
        If the body has no meaning on a GPU, or other results.
    """
    made = of_threads(cuda.KERNELS, runtime(), function.function.thread_body, *blocks)
    arrays = [made[number] for number in numbers]
    for one, array in zip(outputs, arrays, strict=True):
        if len(made) != returned or (array.shape, array.dtype) != (one.of(points), one.dtype):
            raise KernelDeviceError(
                f"kernel threads: {array.dtype} of {array.shape} for {one.name}"
            )
    return OutputBlocks(points, outputs, arrays)


KERNELS: Final[dict[str, Kernel]] = {
    "threads": threads,
    "threadoutputs": thread_outputs,  # type: ignore[dict-item]
}
