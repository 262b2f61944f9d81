"""Convolutions that add products in order, in a compiled loop over lines of cells side by side.

A line of sums stays in the first cache while one product after the other is added to it: the bits
are those of the sums that `convolution` adds up by NumPy.
"""

from __future__ import annotations

from functools import lru_cache
from math import prod
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cpu.blocks.sparse_matmul_compiled import byte_table
from dask_tapestry_kernels.cpu.jit.compile_service import compiled
from dask_tapestry_kernels.cpu.jit.memory_layout import address, storage
from dask_tapestry_kernels.stopping import stop_if_asked

Block = np.ndarray[Any, Any]

SMALL: Final = 16_384  # products; fewer are not worth a kernel that is not loaded
LINE: Final = 512  # cells side by side that are summed at once: 4 KiB of doubles
LEAST_LINE: Final = 8  # fewer are faster by NumPy, for all channels at once
ARITY: Final = 9
CALL: Final = 2**26  # products between two looks at whether the block is still wanted

SOURCE: Final = """\
import numpy as np
from numba import carray, njit
from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import pointer


def added(x, out, bases, outs, offsets, weights, rows, terms, lanes):
    b = carray(pointer(bases), (rows,), np.int64)
    t = carray(pointer(outs), (rows,), np.int64)
    o = carray(pointer(offsets), (terms,), np.int64)
    w = carray(pointer(weights), (terms,), np.{cell})
    for r in range(rows):
        for lane in range(0, lanes, {line}):
            n = min({line}, lanes - lane)
            y = carray(pointer(out + t[r] + lane * {size}), (n,), np.{cell})
            for i in range(n):
                y[i] = 0
            for term in range(terms):
                c = carray(pointer(x + b[r] + o[term] + lane * {size}), (n,), np.{cell})
                v = w[term]
                for i in range(n):
                    y[i] += v * c[i]


kernel = njit("void({arguments})", nogil=True, error_model="numpy")(added)
"""


@lru_cache(maxsize=32)
def source(dtype: np.dtype[Any]) -> str | None:
    """The text of a module for cells of a dtype; None where NumPy has to do."""
    if not dtype.isnative or dtype.kind not in "iuf" or dtype.char in "eg":
        return None
    arguments = ", ".join(["int64"] * ARITY)
    cell = storage(dtype)
    return SOURCE.format(cell=cell, size=dtype.itemsize, line=LINE, arguments=arguments)


def added_up(sums: Block, windows: Block, k: Block) -> bool:
    """Fill the sums; False where NumPy has to do.

    Parameters
    ----------
    sums, windows, k
        Of shapes (batch, groups, outputs, space...), (batch, groups, channels, window..., space...)
        and (groups, outputs, channels, window...).
    """
    inner = k.ndim - 2  # axes of a window's cells: its channel and its places
    terms = prod(k.shape[2:])
    work = sums.size * terms
    if work < SMALL or not _is_in_lines(sums, windows) or k.dtype != sums.dtype:
        return False
    text = source(sums.dtype)
    native = None if text is None else compiled(text, ARITY, "convolutions", work)
    if native is None:
        return False
    shape, lanes = sums.shape[3:-1], sums.shape[-1]
    offsets = byte_table(windows.strides[2 : 2 + inner], k.shape[2:])
    bases = byte_table(windows.strides[2 + inner : -1], shape)
    outs = byte_table(sums.strides[3:-1], shape)
    many = max(1, CALL // (terms * lanes))
    for batch, group, output in np.ndindex(sums.shape[:3]):
        weights = np.ascontiguousarray(k[group, output])
        ends = address(windows[batch, group]), address(sums[batch, group, output])
        for begin in range(0, len(bases), many):
            stop_if_asked()
            part = slice(begin, begin + many)
            tables = [address(one) for one in (bases[part], outs[part], offsets, weights)]
            native(*ends, *tables, len(bases[part]), terms, lanes)
    return True


def _is_in_lines(sums: Block, windows: Block) -> bool:
    """Whether cells of a dtype lie side by side along the last axis, and enough of them."""
    if sums.ndim < 4 or sums.shape[-1] < LEAST_LINE or windows.dtype != sums.dtype:
        return False
    size = sums.dtype.itemsize
    near = sums.strides[-1] == size and windows.strides[-1] == size
    return near and sums.flags.aligned and windows.flags.aligned
