"""The texts of CUDA kernels that turn floats into integers of the same order, and back.

Sorting floats by CuPy leaves open where -0.0 and NaN with a sign come; integers have one order. The
bits of a number are its integer but for the sign, of negative ones all others are inverted.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from dask_tapestry_kernels.cuda.jit.program import CudaProgram, pointer_type
from dask_tapestry_kernels.cuda.kernel_texts import grid_stride, module_text

DType = np.dtype[Any]


def key_dtype(dtype: DType) -> DType:
    """The integers that are sorted for cells of a dtype; truth values are bytes."""
    if dtype.kind == "f":
        return np.dtype(f"i{dtype.itemsize}")
    return np.dtype(np.uint8) if dtype.kind == "b" else dtype


@lru_cache(maxsize=16)
def to_keys_program(dtype: DType, places: bool) -> CudaProgram:
    """The program that makes keys of floats, of which all NaN are one and come last.

    Where `places` are wanted both zeros are one, else -0.0 comes before 0.0.
    """
    key = key_dtype(dtype)
    size = np.array(np.iinfo(key).max, key)
    infinite, nan = (np.array(x, dtype).view(key).item() for x in (np.inf, np.nan))
    lines = [
        "bits = np.int64(cells[i])",
        f"size = bits & np.int64({size})",
        f"if size > np.int64({infinite}):",
        f"    bits = np.int64({nan})",
        *(["if size == 0:", "    bits = np.int64(0)"] if places else []),
        _turned(key),
    ]
    return _program(key, lines, f"keys of {dtype}")


@lru_cache(maxsize=16)
def from_keys_program(dtype: DType) -> CudaProgram:
    """The program that makes floats of their keys."""
    key = key_dtype(dtype)
    return _program(key, ["bits = np.int64(cells[i])", _turned(key)], f"{dtype} of keys")


def _turned(key: DType) -> str:
    """Statement that inverts the bits of negative numbers but for their sign."""
    top, rest = 8 * key.itemsize - 1, np.iinfo(key).max
    return f"keys[i] = np.{key.name}(bits ^ ((bits >> np.int64({top})) & np.int64({rest})))"


def _program(key: DType, lines: list[str], what: str) -> CudaProgram:
    arguments = [("n", "int64"), ("cells", pointer_type(key)), ("keys", pointer_type(key))]
    return CudaProgram(module_text(arguments, grid_stride(lines)), what)
