"""Bincount in compiled loops: cells are counted by number, or their weights added, leaf by leaf."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cpu.jit.compile_service import compiled
from dask_tapestry_kernels.cpu.jit.memory_layout import address, storage

Block = np.ndarray[Any, Any]

SMALL: Final = 16_384  # cells; fewer are not worth a kernel that is not loaded
ARITY: Final = 9
WAYS: Final = 4  # tables that neighbours are counted in, lest one waits for the other's store
CELLS_A_BIN: Final = 16  # from which that many tables are worth their sum
STRIP: Final = 1024  # cells looked at first: without a branch for each they count twice as fast.
# Tables counted together have room for a power of two of bins, as one look at all bits tells
# whether cells lie within: .59 ns a cell in place of .69 with two comparisons.
MOST_BINS: Final = 2**14  # a power of two, for which all of them fit in half a MiB of cache

LOOK: Final = """\
            outside = np.uint64(0)
            for k in range(many):
                cell = np.uint64(x[k])
                wrong |= np.uint64(cell >= most)
                outside |= np.uint64(cell - first >= held)
            if outside:
                for k in range(many):
                    at = np.uint64(x[k]) - first
                    if at < held:
                        {counted}
                continue
"""

COUNT: Final = """\
import numpy as np
from numba import carray, njit
from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import pointer


def count(numbers, tables, found, scratch, n, leaf, start, bins, limit):
    first, held, most = np.uint64(start), np.uint64(bins), np.uint64(limit)
    wrong, room = np.uint64(0), np.uint64(1)
    while room < held:
        room <<= np.uint64(1)
    size = np.int64(room)
    parts = carray(pointer(scratch), ({ways} * size,), np.int64)
    for number in range((n + leaf - 1) // leaf):
        begin = number * leaf
        width = min(leaf, n - begin)
        table = carray(pointer(tables + number * bins * 8), (bins,), np.int64)
        together = bins <= {most_bins} and width >= {cells_a_bin} * bins
        if together:
            for k in range({ways} * size):
                parts[k] = 0
        for lo in range(begin, begin + width, {strip}):
            many = min({strip}, begin + width - lo)
            x = carray(pointer(numbers + lo * {item}), (many,), np.{cell})
            if together:
                bits = np.uint64(0)
                for k in range(many):
                    bits |= np.uint64(x[k]) - first
                if bits < room:
                    done = many // {ways} * {ways}
                    for k in range(0, done, {ways}):
{together}
                    for k in range(done, many):
                        parts[np.uint64(x[k]) - first] += 1
                    continue
{look}
            for k in range(many):  # from 0 on, as no index can be negative then
                table[np.uint64(x[k]) - first] += 1
        if together:
            for k in range(bins):
                table[k] += {sum}
            for k in range(bins, size):  # other bins, or none
                beyond = np.uint64(k) + first >= most
                wrong |= np.uint64(beyond and ({sum}) > 0)
    carray(pointer(found), (1,), np.uint64)[0] = wrong


kernel = njit("void({arguments})", nogil=True, error_model="numpy")(count)
"""

ADD: Final = """\
import numpy as np
from numba import carray, njit
from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import pointer


def add(numbers, weights, tables, found, n, leaf, start, bins, limit):
    first, held, most = np.uint64(start), np.uint64(bins), np.uint64(limit)
    wrong = np.uint64(0)
    for number in range((n + leaf - 1) // leaf):
        begin = number * leaf
        width = min(leaf, n - begin)
        table = carray(pointer(tables + number * bins * {state_size}), (bins,), np.{state})
        for lo in range(begin, begin + width, {strip}):
            many = min({strip}, begin + width - lo)
            x = carray(pointer(numbers + lo * {item}), (many,), np.{cell})
            w = carray(pointer(weights + lo * {weight_size}), (many,), np.{weight})
{look}
            for k in range(many):
                table[np.uint64(x[k]) - first] += np.{state}(w[k])
    carray(pointer(found), (1,), np.uint64)[0] = wrong


kernel = njit("void({arguments})", nogil=True, error_model="numpy")(add)
"""

TOGETHER: Final = """\
                        parts[np.uint64(x[k + {way}]) - first + np.uint64({way}) * room] += 1
"""


@lru_cache(maxsize=64)
def source(cell: np.dtype[Any], weight: np.dtype[Any] | None, state: np.dtype[Any]) -> str | None:
    """The text of a module that counts, or with weights adds; None where NumPy has to do.

    Parameters
    ----------
    cell, weight, state
        Dtypes of the numbers, of the weights if there are any, and of the tables.
    """
    arguments = ", ".join(["int64"] * ARITY)
    names = {"item": cell.itemsize, "cell": storage(cell), "arguments": arguments}
    if not cell.isnative:
        return None
    if weight is None:
        names["together"] = "".join(TOGETHER.format(way=way) for way in range(WAYS)).rstrip()
        names |= {"strip": STRIP, "look": LOOK.format(counted="table[at] += 1").rstrip()}
        names["sum"] = " + ".join(f"parts[k + {way} * size]" for way in range(WAYS))
        sizes = {"ways": WAYS, "cells_a_bin": CELLS_A_BIN, "most_bins": MOST_BINS}
        return COUNT.format(**names, **sizes)
    if not is_added(weight):
        return None
    names |= {"weight": storage(weight), "weight_size": weight.itemsize}
    added = f"table[at] += np.{state.name}(w[k])"
    names |= {"strip": STRIP, "look": LOOK.format(counted=added).rstrip()}
    return ADD.format(**names, state=state.name, state_size=state.itemsize)


def is_added(weight: np.dtype[Any]) -> bool:
    """Whether compiled loops add weights of a dtype."""
    return weight.kind in "biufc" and weight.char not in "egG" and weight.isnative


def fill(
    tables: Block,
    numbers: Block,
    weights: Block | None,
    *,
    leaf: int,
    bins: range,
    limit: int | None,
) -> bool:
    """Fill the `tables`, all zero, of the leaves of a line of cells; False where NumPy has to.

    It declines too where a number lies beyond the `limit`, and has then spoilt the tables.
    """
    if numbers.size < SMALL or not len(bins):
        return False
    text = source(numbers.dtype, None if weights is None else weights.dtype, tables.dtype)
    native = None if text is None else compiled(text, ARITY, "counting", numbers.size)
    if native is None:
        return False
    x, outside = np.ascontiguousarray(numbers), np.zeros(1, np.uint64)
    most = 2**63 - 1 if limit is None else limit
    sizes = [x.size, leaf, bins.start, len(bins), most]
    if weights is None:
        held = 1 << (len(bins) - 1).bit_length()
        scratch = np.empty(WAYS * min(held, MOST_BINS), np.int64)
        native(address(x), address(tables), address(outside), address(scratch), *sizes)
    else:
        w = np.ascontiguousarray(weights)
        native(address(x), address(w), address(tables), address(outside), *sizes)
    return limit is None or not outside[0]
