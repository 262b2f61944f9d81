"""Runs a kernel on blocks of NumPy: simulated as they are, on a device on copies that lie alike."""

import os

import numpy as np
from numpy.lib.array_utils import byte_bounds

from dask_tapestry_kernels.composite_blocks import Collected
from dask_tapestry_kernels.cuda.jit import runtime
from dask_tapestry_kernels.field_blocks import FieldBlocks

ON_DEVICE = "DASK_TAPESTRY_TEST_DEVICE"  # "cuda" runs the tests on a device


def is_on_device():
    """Whether the tests are for a device."""
    return os.environ.get(ON_DEVICE) == "cuda"


class WatchedRuntime(runtime.CupyRuntime):
    """CuPy's device; launches are written down."""

    def __init__(self):
        super().__init__()
        self.launches = []

    def launch(self, program, blocks, arguments):
        self.launches.append((program, blocks))
        super().launch(program, blocks, arguments)


def run(kernel, out, *blocks, **arguments):
    """Run a kernel; return an array of NumPy."""
    if not is_on_device():
        return on_host(kernel(out, *map(lying, blocks), **arguments))
    given = [lying(block) for block in blocks]
    result = kernel(None if out is None else uploaded(out), *given, **arguments)
    made = on_host(result)
    if out is not None:
        out[...] = made
    return made


def lying(block):
    """A block as it lies on a device: structured cells and collected arrays array by array."""
    if isinstance(block, Collected):
        return block.map(lying)
    if block.dtype.names:
        return FieldBlocks.of(block).map(lying)
    return uploaded(block) if is_on_device() else block


def on_host(result):
    """What a kernel returned, in NumPy's arrays."""
    if isinstance(result, FieldBlocks):
        return result.map(on_host).structured()
    if isinstance(result, Collected):
        return result.map(on_host)
    return result if isinstance(result, np.ndarray | np.generic) else result.get()


def uploaded(block):
    """A copy on the device of what an array lies in, and the array there."""
    import cupy

    if not block.size:
        return cupy.empty(block.shape, block.dtype)
    low, high = byte_bounds(block)
    lies_in = (np.ctypeslib.ctypes.c_ubyte * (high - low)).from_address(low)
    memory = cupy.asarray(np.frombuffer(lies_in, np.uint8))
    first = memory.data + (block.ctypes.data - low)
    return cupy.ndarray(block.shape, block.dtype, memptr=first, strides=block.strides)
