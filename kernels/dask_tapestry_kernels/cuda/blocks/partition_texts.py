"""The text of a CUDA kernel that tells to which part of its partitioned lane each cell belongs.

It counts the pivots below a cell and those not above it, so parts have numbers in their order. NaN
are a part of their own, as on the CPU.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from dask_tapestry_kernels.cuda.blocks.sort_texts import key_dtype
from dask_tapestry_kernels.cuda.jit.program import CudaProgram, pointer_type
from dask_tapestry_kernels.cuda.kernel_texts import grid_stride, module_text


@lru_cache(maxsize=16)
def part_program(dtype: np.dtype[Any]) -> CudaProgram:
    """The program for keys of cells of a dtype, beside the sorted pivots of each lane."""
    key = key_dtype(dtype)
    arguments = [("n", "int64"), ("length", "int64"), ("count", "int64")]
    arguments += [("keys", pointer_type(key)), ("pivots", pointer_type(key))]
    arguments.append(("parts", "CPointer(int32)"))
    nan = np.array(np.nan, dtype).view(key) if dtype.kind == "f" else None
    body = [
        "key, first = keys[i], (i // length) * count",
        "number = np.int32(0)" if nan is None else f"number = np.int32(key == np.{key}({nan}))",
        "for p in range(count):",
        "    pivot = pivots[first + p]",
        "    number += np.int32(pivot < key) + np.int32(pivot <= key)",
        "parts[i] = number",
    ]
    return CudaProgram(module_text(arguments, grid_stride(body)), f"parts of {dtype}")
