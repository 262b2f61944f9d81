"""The text of a CUDA kernel that copies cells which lie in another order than their copies.

Tiles of 32 by 32 cells go through shared memory: neighbouring threads read neighbouring cells, and
then write neighbouring ones.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cuda.jit.program import CudaProgram, memory_type, pointer_type
from dask_tapestry_kernels.cuda.kernel_texts import coordinates, indented, module_text

DType = np.dtype[Any]
SIDE: Final = 32
PITCH: Final = SIDE + 1  # cells from a row of a tile to the next: a column is in all banks
MOST: Final = 256  # threads of a block


@lru_cache(maxsize=64)
def copy_program(word: DType, others: int, threads: int) -> CudaProgram:
    """The program that copies tiles of two axes, of blocks with so many others.

    Along ``a`` cells are neighbours where they are read, along ``b`` where they are written.
    """
    threads = min(threads, MOST)
    axes = ["a", "b", *[str(k) for k in range(others)]]
    words = ["tiles", "tiles_a", "tiles_b", *[f"n{axis}" for axis in axes]]
    words += [f"{side}{axis}" for side in ("from_", "to_") for axis in axes]
    arguments = [(name, "int64") for name in words]
    arguments += [("cells", pointer_type(word)), ("copies", pointer_type(word))]
    places = [*[f"c{k}" for k in range(others)], "tile_b", "tile_a"]
    extents = [*[f"n{k}" for k in range(others)], "tiles_b", "tiles_a"]
    lines = coordinates("number", places, extents[1:], "int64")
    for side in ("from_", "to_"):
        terms = [f"c{k} * {side}{k}" for k in range(others)]
        lines.append(f"{side}first = {' + '.join(['np.int64(0)', *terms])}")
    read = [f"a, b = tile_a * {SIDE} + lane, tile_b * {SIDE} + row", "if a < na and b < nb:"]
    read.append(f"    tile[row * {PITCH} + lane] = cells[from_first + a * from_a + b * from_b]")
    write = [f"a, b = tile_a * {SIDE} + row, tile_b * {SIDE} + lane", "if a < na and b < nb:"]
    write.append(f"    copies[to_first + a * to_a + b * to_b] = tile[lane * {PITCH} + row]")
    for step in (read, write):
        rows = [f"row = warp + {threads // SIDE} * r", *step]
        lines += [f"for r in range({SIDE * SIDE // threads}):", *indented(rows)]
        lines.append("cuda.syncthreads()")
    body = [
        f"tile = cuda.shared.array({SIDE * PITCH}, np.{memory_type(word)})",
        "thread = np.int64(cuda.threadIdx.x)",
        f"warp = thread // {SIDE}",
        f"lane = thread - warp * {SIDE}",
        "number = np.int64(cuda.blockIdx.x)",
        "while number < tiles:",
        *indented([*lines, "number += np.int64(cuda.gridDim.x)"]),
    ]
    return CudaProgram(module_text(arguments, body), f"copy of {8 * word.itemsize} bits", threads)
