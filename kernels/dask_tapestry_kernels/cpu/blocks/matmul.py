"""Matmul: matrix products through BLAS."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.kernel_table import Kernel

Block = np.ndarray[Any, Any]

COPIED_BYTES: Final = 2**23  # of a matrix at a time: enough columns for BLAS


def matmul(
    out: Block | None, x: Block, w: Block, *, dtype: np.dtype[Any], part: int | None
) -> Block:
    """``x @ w``, of blocks (..., m, k) and (..., k, n), in `dtype`.

    With `part`, one product for each `part` cells of the contracted dimension, the last one
    shorter: the result is then of shape (parts, ..., m, n).
    """
    if part is None:
        return _product(x, w, out, dtype)
    starts = range(0, x.shape[-1], part)
    shape = (len(starts), *x.shape[:-1], w.shape[-1])
    result = np.empty(shape, dtype) if out is None else out
    for number, start in enumerate(starts):
        stop = start + part
        _product(x[..., start:stop], w[..., start:stop, :], result[number], dtype)
    return result


def _product(x: Block, w: Block, out: Block | None, dtype: np.dtype[Any]) -> Block:
    """``x @ w``, some columns at a time where cells of `w` are not aligned.

    What came over a network is not, and NumPy copies it: so a copy takes little memory.
    """
    if w.flags.aligned or w.nbytes <= COPIED_BYTES:
        return np.matmul(x, w, out=out, dtype=dtype)
    leading = np.broadcast_shapes(x.shape[:-2], w.shape[:-2])
    made = np.empty((*leading, x.shape[-2], w.shape[-1]), dtype) if out is None else out
    columns = max(1, COPIED_BYTES * w.shape[-1] // w.nbytes)
    for start in range(0, w.shape[-1], columns):
        strip = slice(start, start + columns)
        np.matmul(x, w[..., strip], out=made[..., strip], dtype=dtype)
    return made


def add_product(out: Block | None, x: Block, w: Block, *, dtype: np.dtype[Any], rows: int) -> Block:
    """Add ``x @ w`` to `out`, so many rows at a time: so products take little memory."""
    assert out is not None
    for start in range(0, out.shape[-2], rows):
        strip = slice(start, start + rows)
        out[..., strip, :] += _product(x[..., strip, :], w, None, dtype)
    return out


def linear(
    out: Block | None, x: Block, w: Block, b: Block | None = None, *, dtype: np.dtype[Any]
) -> Block:
    """``x @ w + b``, of blocks (..., k), (k, n) and (n,), in `dtype`.

    float16 is multiplied in float32 (81 against .66 GFLOP/s).
    """
    work = np.dtype(np.float32) if dtype == np.float16 else dtype
    product: Block = np.matmul(x.astype(work, copy=False), w.astype(work, copy=False))
    if b is not None:
        product = product + b
    if out is None:
        return product.astype(dtype, copy=False)
    np.copyto(out, product, casting="unsafe")
    return out


KERNELS: Final[dict[str, Kernel]] = {
    "matmul": matmul,
    "linear": linear,
    "add_product": add_product,
}
