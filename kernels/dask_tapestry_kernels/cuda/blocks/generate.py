"""Generators on a GPU: blocks made from their coordinates alone."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cuda.cells.formulas import handed
from dask_tapestry_kernels.cuda.jit.program import CudaProgram, memory_type, pointer_type
from dask_tapestry_kernels.cuda.jit.runtime import Block, blocks_for, runtime
from dask_tapestry_kernels.cuda.kernel_texts import grid_stride, module_text, to_store
from dask_tapestry_kernels.device_error import KernelDeviceError
from dask_tapestry_kernels.formulas import scalar_codegen
from dask_tapestry_kernels.kernel_table import Kernel

DType = np.dtype[Any]
INDEX: Final = np.dtype(np.int64)


def full(out: Block | None, *, value: np.generic, shape: tuple[int, ...]) -> Block:
    """One value in a block of `shape`: a view of one cell, or `out` filled."""
    gpu = runtime()
    result = gpu.empty((), value.dtype) if out is None else out
    result[...] = value
    return gpu.strided(result, shape, (0,) * len(shape)) if out is None else result


def arange(
    out: Block | None,
    *,
    first: np.generic,
    delta: np.generic,
    places: range,
    dtype: DType,
) -> Block:
    """``first + place * delta`` for each place of a range, as NumPy fills ranges.

    Parameters
    ----------
    first, delta
        Scalars of one dtype, in which the numbers are computed.
    places
        Places of the cells in the whole range.
    dtype
        Of the result, that of `first`.

    Raises
    ------
    KernelDeviceError
        For dtypes that a GPU has no numbers of, as times.
    """
    program = range_program(first.dtype) if first.dtype == dtype else None
    if program is None:
        raise KernelDeviceError(f"kernel arange: dtype {dtype} is not supported on a GPU")
    gpu, count = runtime(), len(places)
    made = out if out is not None and out.flags.c_contiguous else gpu.empty((count,), dtype)
    words = [np.int64(word) for word in (count, places.start, places.step)]
    if count:
        arguments = [*words, handed(first), handed(delta), made]
        gpu.launch(program, blocks_for(count, gpu), arguments)
    return made


@lru_cache(maxsize=32)
def range_program(dtype: DType) -> CudaProgram | None:
    """The program that fills a range of numbers; None for dtypes without numbers."""
    if not scalar_codegen.is_known(dtype) or dtype.kind not in "iuf":
        return None
    kinds = [dtype, dtype]
    number = "place"
    if dtype != INDEX:
        number = str(scalar_codegen.step("cast", ["place"], [INDEX], dtype))
    held = "float32" if dtype.char == "e" else memory_type(dtype)
    arguments = [("n", "int64"), ("start", "int64"), ("pace", "int64"), ("first", held)]
    arguments += [("delta", held), ("out", pointer_type(dtype))]
    lines = [
        "place = start + i * pace",
        f"number = {number}",
        f"far = {scalar_codegen.step('multiply', ['number', 'delta'], kinds, dtype)}",
        f"value = {scalar_codegen.step('add', ['first', 'far'], kinds, dtype)}",
        f"out[i] = {to_store('value', dtype)}",
    ]
    return CudaProgram(module_text(arguments, grid_stride(lines)), f"arange of {dtype}")


def index(out: Block | None, *, axis: int, places: range, shape: tuple[int, ...]) -> Block:  # noqa: ARG001
    """Coordinates along `axis` of a block of `shape`, int64: a view of one line of them.

    `places` has the coordinates of the line.
    """
    zero, one = np.int64(0), np.int64(1)
    line = arange(None, first=zero, delta=one, places=places, dtype=INDEX)
    steps = [line.itemsize if dim == axis else 0 for dim in range(len(shape))]
    return runtime().strided(line, shape, steps)


KERNELS: Final[dict[str, Kernel]] = {
    "full": full,
    "arange": arange,
    "index": index,
}
