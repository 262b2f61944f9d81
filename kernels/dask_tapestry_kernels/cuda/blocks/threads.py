"""Threads of a user on a GPU: those whose body is a formula of views are one launch."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cuda.blocks.select import view
from dask_tapestry_kernels.cuda.cells.formulas import evaluate
from dask_tapestry_kernels.cuda.jit.runtime import Block, runtime
from dask_tapestry_kernels.device_error import KernelDeviceError
from dask_tapestry_kernels.kernel_table import Kernel

BY_NAME: Final[dict[str, Kernel]] = {"map": evaluate, "view": view}  # that a body calls


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
    """Compute a body for all threads of a block; ids become threads of the GPU.

    Parameters
    ----------
    function
        Holds a body that has ``on_device``, which calls the kernel of formulas once.
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
    made = function.function.on_device(BY_NAME, runtime(), *blocks)
    if (made.shape, made.dtype) != (shape, dtype):
        raise KernelDeviceError(f"kernel threads: {made.dtype} of {made.shape} for {dtype}{shape}")
    return made[(*keep, ...)]


KERNELS: Final[dict[str, Kernel]] = {"threads": threads}
