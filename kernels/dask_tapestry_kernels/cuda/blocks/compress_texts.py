"""The text of a CUDA kernel that counts the true cells of parts of a mask."""

from __future__ import annotations

from functools import cache

from dask_tapestry_kernels.cuda.jit.program import CudaProgram
from dask_tapestry_kernels.cuda.kernel_texts import indented, module_text

WORDS = ("n", "parts", "cells", "span", "stride")


@cache
def count_program() -> CudaProgram:
    """The program by which blocks of threads count parts of spans of a mask."""
    arguments = [*[(word, "int64") for word in WORDS], ("x", "CPointer(uint8)")]
    arguments.append(("out", "CPointer(int32)"))
    work = [
        "number = item // parts",
        "part = item - number * parts",
        "low = number * span",
        "high = min(low + span, cells)",
        "chunk = (high - low + parts - 1) // parts",
        "end = min(high, low + (part + 1) * chunk)",
        "c = low + part * chunk + thread",
        "own = np.int32(0)",
        "while c < end:",
        "    if x[c * stride] != 0:",
        "        own += np.int32(1)",
        "    c += threads",
        "if thread == 0:",
        "    total[0] = np.int32(0)",
        "cuda.syncthreads()",
        "cuda.atomic.add(total, 0, np.int32(own))",
        "cuda.syncthreads()",
        "if thread == 0:",
        "    out[item] = total[0]",  # as the same thread empties it next
        "item += np.int64(cuda.gridDim.x)",
    ]
    lines = [
        "total = cuda.shared.array(1, np.int32)",
        "thread, threads = np.int64(cuda.threadIdx.x), np.int64(cuda.blockDim.x)",
        "item = np.int64(cuda.blockIdx.x)",
        "while item < n:",
        *indented(work),
    ]
    return CudaProgram(module_text(arguments, lines), "count of a mask")
