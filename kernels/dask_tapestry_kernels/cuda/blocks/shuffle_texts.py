"""The texts of CUDA kernels that put places in the order of owners, and rows back in theirs."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cuda.jit.program import CudaProgram, pointer_type
from dask_tapestry_kernels.cuda.kernel_texts import grid_stride, indented, module_text, number_text

DType = np.dtype[Any]
INT64: Final = np.dtype(np.int64)
NUMBERS: Final = pointer_type(INT64)


@lru_cache(maxsize=16)
def owners_program(places: DType) -> CudaProgram:
    """The program that tells the owner of each place; -1 of places that belong to nobody.

    Owners have `side` rows each, from row `low` to row `high`.
    """
    arguments = [(name, "int64") for name in ("n", "pace", "low", "high", "side")]
    arguments += [("places", pointer_type(places)), ("owner", NUMBERS)]
    body = [f"j = {number_text('places[i * pace]', places)}"]
    body += ["inside = j >= low and j < high"]
    body += ["owner[i] = (j - low) // side if inside else np.int64(-1)"]
    return CudaProgram(module_text(arguments, grid_stride(body)), "shuffle: owners of places")


@lru_cache(maxsize=1)
def ends_program() -> CudaProgram:
    """The program that finds, by halves, where the places of each owner begin in their order."""
    arguments = [("n", "int64"), ("count", "int64"), ("owner", NUMBERS), ("order", NUMBERS)]
    arguments.append(("ends", NUMBERS))
    halve = ["at = (low + high) // 2", "if owner[order[at]] < i:", "    low = at + 1"]
    halve += ["else:", "    high = at"]
    body = ["low = np.int64(0)", "high = count", "while low < high:", *indented(halve)]
    body.append("ends[i] = low")
    return CudaProgram(module_text(arguments, grid_stride(body)), "shuffle: ends of owners")


@lru_cache(maxsize=16)
def counted_program(places: DType) -> CudaProgram:
    """The program that counts places from the first row of their owner, in the order of owners."""
    arguments = [(name, "int64") for name in ("n", "pace", "side")]
    arguments += [("places", pointer_type(places)), ("order", NUMBERS)]
    arguments.append(("out", pointer_type(places)))
    body = [f"j = {number_text('places[order[i] * pace]', places)}"]
    body += [f"out[i] = np.{places.name}(j - j // side * side)"]
    return CudaProgram(module_text(arguments, grid_stride(body)), "shuffle: places within owners")


@lru_cache(maxsize=16)
def returned_program(word: DType) -> CudaProgram:
    """The program that writes rows of `width` words, which lie in some order, to their places."""
    arguments = [(name, "int64") for name in ("n", "width", "first")]
    kind = pointer_type(word)
    arguments += [("order", NUMBERS), ("rows", kind), ("out", kind)]
    body = ["row = i // width", "out[order[first + row] * width + i - row * width] = rows[i]"]
    return CudaProgram(module_text(arguments, grid_stride(body)), f"shuffle: rows of {word}")
