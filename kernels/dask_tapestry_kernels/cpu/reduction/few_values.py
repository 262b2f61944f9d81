"""Few values: the distinct values of spans of cells, as long as there are few.

Cells are told apart by their bits. A span is left as soon as it has too many.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cpu.jit.compile_service import Native, compiled
from dask_tapestry_kernels.cpu.jit.memory_layout import address
from dask_tapestry_kernels.kernel_table import Kernel

Block = np.ndarray[Any, Any]

TOO_MANY: Final = -1  # the count of the first row of a table that has no room
SMALL: Final = 16_384  # cells; fewer are not worth a kernel that is not loaded
TRIED: Final = 4_096  # cells that NumPy looks at first, which tell of a span with many values
SLOTS_A_VALUE: Final = 4  # of the hash table: cells meet another value in an eighth of all cases
ARITY: Final = 7

FEW: Final = """\
import numpy as np
from numba import carray, njit
from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import pointer


def few(cells, values, counts, firsts, slots, n, most):
    x = carray(pointer(cells), (n,), np.{word})
    v = carray(pointer(values), (most,), np.uint64)
    c = carray(pointer(counts), (most,), np.int64)
    f = carray(pointer(firsts), (most,), np.int64)
    size = np.uint64(most * {slots})
    s = carray(pointer(slots), (size,), np.int32)
    used = np.int64(0)
    for k in range(n):
        value = np.uint64(x[k])
        at = ((value * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(40)) & (size - np.uint64(1))
        while s[at] and v[s[at] - 1] != value:
            at = (at + np.uint64(1)) & (size - np.uint64(1))
        if s[at] == 0:
            if used == most:
                c[0] = {too_many}
                return
            v[used], f[used] = value, k
            used += 1
            s[at] = used
        c[s[at] - 1] += 1


kernel = njit("void({arguments})", nogil=True, error_model="numpy")(few)
"""


@lru_cache(maxsize=4)
def source(size: int) -> str:
    """The text of a module for cells of `size` bytes."""
    arguments = ", ".join(["int64"] * ARITY)
    names = {"word": f"uint{8 * size}", "slots": SLOTS_A_VALUE, "too_many": TOO_MANY}
    return FEW.format(arguments=arguments, **names)


def few_values(
    out: Block | None,  # noqa: ARG001
    block: Block,
    *,
    span: int,
    most: int,
    origin: int,
    table: np.dtype[Any],
) -> Block:
    """A table of shape (spans, most) with a row for each distinct value of each span of cells.

    Rows are in the order of their bits; those that are not needed have the count 0. A span with
    more values has no rows, and `TOO_MANY` is the count of its first.

    Parameters
    ----------
    span
        Cells; the last span may have fewer.
    most
        Values of a span, a power of two.
    origin
        The number of the first cell.
    table
        Dtype of a row: ``value`` is the bits as an integer, ``count`` how many cells have it,
        ``first`` the number of the first of these.
    """
    words = np.ascontiguousarray(block).view(f"u{block.dtype.itemsize}")
    starts = range(0, len(words), span)
    result = np.zeros((len(starts), most), table)
    native = None
    if words.size >= SMALL:
        native = compiled(source(words.itemsize), ARITY, "few values", words.size)
    for number, start in enumerate(starts):
        cells = words[start : start + span]
        found = _numpys(cells, most) if native is None else _natives(native, cells, most)
        if found is None:
            result[number, 0]["count"] = TOO_MANY
            continue
        for name, column in zip(("value", "count", "first"), found, strict=True):
            result[number, : len(column)][name] = column
        result[number, : len(found[0])]["first"] += origin + start
    return result


def _numpys(cells: Block, most: int) -> tuple[Block, Block, Block] | None:
    """Values, counts and first places; None of too many."""
    if len(np.unique(cells[:TRIED])) > most:
        return None
    values, firsts, counts = np.unique(cells, return_index=True, return_counts=True)
    return (values, counts, firsts) if len(values) <= most else None


def _natives(native: Native, cells: Block, most: int) -> tuple[Block, Block, Block] | None:
    columns = [np.zeros(most, dtype) for dtype in (np.uint64, np.int64, np.int64)]
    slots = np.zeros(SLOTS_A_VALUE * most, np.int32)
    native(*map(address, (cells, *columns, slots)), cells.size, most)
    values, counts, firsts = columns
    if counts[0] == TOO_MANY:
        return None
    used = np.count_nonzero(counts)
    order = np.argsort(values[:used])
    return values[order], counts[order], firsts[order]


KERNELS: Final[dict[str, Kernel]] = {"fewvalues": few_values}
