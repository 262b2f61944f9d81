"""The text of a CUDA kernel that copies cells whose places numbers in memory tell.

A place is a sum: of what each coordinate of the result adds, and of what each number read from
memory does. Neighbouring threads write neighbouring cells, and read such where windows lie so.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from dask_tapestry_kernels.cuda.cells.formula_texts import place_text
from dask_tapestry_kernels.cuda.jit.program import CudaProgram, pointer_type
from dask_tapestry_kernels.cuda.kernel_texts import (
    coordinates,
    grid_stride,
    module_text,
    number_text,
)

DType = np.dtype[Any]


@lru_cache(maxsize=512)
def picking_program(
    word: DType, numbers: tuple[DType, ...], rank: int, wide: bool, strict: bool
) -> CudaProgram:
    """The program that copies words to places of a result, from where numbers say.

    Parameters
    ----------
    word
        Dtype of the words.
    numbers
        Dtypes of the numbers, a block for each axis that they move along.
    rank
        Of the merged dimensions of the result.
    wide
        Whether numbers of cells take 64 bits.
    strict
        Count negative numbers from the end, and note in `found` that one is out of bounds.
    """
    kind, axes, picks = "uint64" if wide else "uint32", range(rank), range(len(numbers))
    names = [f"c{d}" for d in axes], [f"n{d}" for d in axes]
    arguments = [("n", "int64"), *[(extent, kind) for extent in names[1][1:]]]
    arguments += [(f"{side}{d}", "int64") for side in "st" for d in axes]
    arguments += [(f"p{k}_{d}", "int64") for k in picks for d in axes]
    fields = ("extent", "origin", "top", "pace")  # of `picked_cells.Pick`
    arguments += [(f"{field}{k}", "int64") for k in picks for field in fields]
    arguments += [("base", "int64"), ("x", pointer_type(word))]
    arguments += [(f"at{k}", pointer_type(dtype)) for k, dtype in enumerate(numbers)]
    arguments += [("found", "CPointer(int32)")] * strict
    arguments.append(("out", pointer_type(word)))
    body = [*coordinates("i", *names, kind), f"place = base + {place_text('s', rank)}"]
    for k, dtype in enumerate(numbers):
        read = f"at{k}[{place_text(f'p{k}_', rank)}]"
        body.append(f"j = {number_text(read, dtype)}")
        if strict:
            body += ["if j < 0:", f"    j += extent{k}"]
            body += [f"if j < 0 or j >= extent{k}:", "    found[0] = np.int32(1)"]
        body.append(f"place += min(max(j - origin{k}, np.int64(0)), top{k}) * pace{k}")
    body.append(f"out[{place_text('t', rank)}] = x[place]")
    return CudaProgram(module_text(arguments, grid_stride(body)), f"cells of {word} at places")
