"""The text of a CUDA kernel that permutes numbers by a network of keyed hashes, a number a thread.

Source: Black and Rogaway, "Ciphers with arbitrary finite domains", CT-RSA 2002.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from dask_tapestry_kernels.cuda.jit.program import CudaProgram
from dask_tapestry_kernels.cuda.kernel_texts import grid_stride, module_text
from dask_tapestry_kernels.formulas.feistel import ROUNDS

IMPORTS: Final = """\
from dask_tapestry_kernels.formulas.feistel import feistel
from numba import njit

moved = njit(feistel, forceinline=True)
"""


@cache
def permutation_program() -> CudaProgram:
    """The program that moves each number until it is below the extent."""
    keys = [f"key{r}" for r in range(ROUNDS)]
    arguments = [(name, "int64") for name in ("n", "start", "stride", "bits")]
    arguments += [("extent", "uint64"), *[(key, "uint64") for key in keys]]
    arguments.append(("out", "CPointer(int64)"))
    body = [
        "number = moved(np.uint64(start + i * stride), bits, keys)",
        "while number >= extent:",
        "    number = moved(number, bits, keys)",
        "out[i] = np.int64(number)",
    ]
    lines = [f"keys = ({', '.join(keys)})", *grid_stride(body)]
    return CudaProgram(IMPORTS + module_text(arguments, lines), "permutation")
