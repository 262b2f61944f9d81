"""Merges of spreads that count their cells, in one compiled loop: Chan's update, state by state."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cpu.jit.compile_service import Native, compiled
from dask_tapestry_kernels.cpu.jit.memory_layout import address

Block = np.ndarray[Any, Any]

SMALL: Final = 1024  # states; fewer are not worth a call
ARITY: Final = 6

# As `monoids._number_variance_combine` says it in NumPy, to the same bits.
SOURCE: Final = """\
import numpy as np
from numba import carray, njit
from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import pointer


def merge(left, right, merged, rows, columns, step):
    for r in range(rows):
        for c in range(columns):
            a, b = left + r * step + c * {item}, right + r * step + c * {item}
            to = merged + (r * columns + c) * {item}
            m = carray(pointer(a + {count}), (1,), np.int64)[0]
            n = carray(pointer(b + {count}), (1,), np.int64)[0]
            mean = carray(pointer(a + {mean}), (1,), np.{real})[0]
            squares = carray(pointer(a + {m2}), (1,), np.{real})[0]
            if n != 0:
                second = carray(pointer(b + {mean}), (1,), np.{real})[0]
                others = carray(pointer(b + {m2}), (1,), np.{real})[0]
                if m == 0:
                    mean, squares = second, others
                else:
                    share = np.{real}(np.float64(n) / np.float64(m + n))
                    off = second - mean
                    mean = mean + off * share
                    squares = (squares + others) + (off * off) * (np.{real}(m) * share)
            carray(pointer(to + {count}), (1,), np.int64)[0] = m + n
            carray(pointer(to + {mean}), (1,), np.{real})[0] = mean
            carray(pointer(to + {m2}), (1,), np.{real})[0] = squares


kernel = njit("void({arguments})", nogil=True, error_model="numpy")(merge)
"""


@lru_cache(maxsize=16)
def source(state: np.dtype[Any]) -> str | None:
    """The text of a module that merges states of a dtype; None where NumPy has to."""
    fields = state.fields
    if fields is None or set(fields) != {"count", "mean", "m2"}:
        return None
    (count, at), (mean, mean_at), (m2, m2_at) = (
        fields[name][:2] for name in ("count", "mean", "m2")
    )
    if count != np.dtype("=i8") or mean != m2 or mean.char not in "fd" or not mean.isnative:
        return None
    return SOURCE.format(
        item=state.itemsize, count=at, mean=mean_at, m2=m2_at, real=mean.name,
        arguments=", ".join(["int64"] * ARITY),
    )  # fmt: skip


def merged_spreads(left: Block, right: Block) -> Block | None:
    """States of two blocks merged cell by cell; None where NumPy has to.

    Parameters
    ----------
    left, right
        Counts, means and sums of squared deviations, which lie alike in memory.
    """
    if left.size < SMALL or left.shape != right.shape or left.strides != right.strides:
        return None
    text = source(left.dtype)
    native = None if text is None else compiled(text, ARITY, "merges of spreads", left.size)
    return None if native is None else _merged(native, left, right)


def _merged(native: Native, left: Block, right: Block) -> Block:
    """Merge along the last axes that lie in line, and the one before them, at a time."""
    item, inner, columns = left.itemsize, left.ndim, 1
    while inner and left.strides[inner - 1] == item * columns:
        inner -= 1
        columns *= left.shape[inner]
    outer = max(inner - 1, 0)
    rows, step = (left.shape[outer], left.strides[outer]) if inner else (1, 0)
    result = np.empty(left.shape, left.dtype)
    for lead in np.ndindex(*left.shape[:outer]):
        blocks = [address(block[lead]) for block in (left, right, result)]
        native(*blocks, rows, columns, step)
    return result
