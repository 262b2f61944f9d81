"""Matmul on a GPU: by cuBLAS; of integers and truth values by CuPy's own kernel, exact.

Bits of floats are the library's, as BLAS's are on the CPU.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cuda.jit.runtime import Block, runtime
from dask_tapestry_kernels.kernel_table import Kernel

DType = np.dtype[Any]
COUNTS: Final = np.dtype(np.int32)  # in which products of truth values are counted
SINGLE: Final = np.dtype(np.float32)


def matmul(out: Block | None, x: Block, w: Block, *, dtype: DType, part: int | None) -> Block:
    """``x @ w``, of blocks (..., m, k) and (..., k, n), in `dtype`.

    With `part`, one product for each `part` cells of the contracted dimension, the last one
    shorter: the result is then of shape (parts, ..., m, n).
    """
    if part is None:
        return _product(x, w, dtype)
    starts = range(0, x.shape[-1], part)
    shape = (len(starts), *x.shape[:-1], w.shape[-1])
    result = runtime().empty(shape, dtype) if out is None else out
    for number, start in enumerate(starts):
        stop = start + part
        result[number] = _product(x[..., start:stop], w[..., start:stop, :], dtype)
    return result


def add_product(out: Block | None, x: Block, w: Block, *, dtype: DType, rows: int) -> Block:
    """Add ``x @ w`` to `out`, so many rows at a time: so products take little memory."""
    assert out is not None
    for start in range(0, out.shape[-2], rows):
        strip = slice(start, start + rows)
        out[..., strip, :] += _product(x[..., strip, :], w, dtype)
    return out


def linear(out: Block | None, x: Block, w: Block, b: Block | None = None, *, dtype: DType) -> Block:
    """``x @ w + b``, of blocks (..., k), (k, n) and (n,), in `dtype`; float16 in float32."""
    product = _product(x, w, SINGLE if dtype == np.float16 else dtype)
    if b is not None:
        product = product + b
    result = product.astype(dtype, copy=False)
    if out is None:
        return result
    out[...] = result
    return out


def _product(x: Block, w: Block, dtype: DType) -> Block:
    """One product, of blocks of any dtypes that become `dtype`."""
    work = COUNTS if dtype.kind == "b" else dtype
    functions = runtime().library
    product = functions.matmul(x.astype(work, copy=False), w.astype(work, copy=False))
    return product != 0 if dtype.kind == "b" else product


KERNELS: Final[dict[str, Kernel]] = {
    "matmul": matmul,
    "linear": linear,
    "add_product": add_product,
}
