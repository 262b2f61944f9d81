"""Cells counted by bin in compiled loops, or their weights added: no bin is written to memory.

A strip of cells is numbered and counted before the next one is read. Neighbours are counted in
tables of their own, lest one waits for the other's store; weights are added in order.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cpu.jit.compile_service import compiled
from dask_tapestry_kernels.cpu.jit.memory_layout import address, storage
from dask_tapestry_kernels.cpu.reduction.bin_numbers_compiled import (
    AHEAD,
    STRIP,
    Places,
    strip_source,
)
from dask_tapestry_kernels.cpu.reduction.bincount_compiled import (
    CELLS_A_BIN,
    MOST_BINS,
    WAYS,
    is_added,
)

Block = np.ndarray[Any, Any]

SMALL: Final = 16_384  # cells; fewer are not worth a kernel that is not loaded
ARITY: Final = 16
SHORTEST_ROW: Final = STRIP  # of a row that is read where it lies; shorter ones are copied
NUMBER: Final = np.dtype(np.uint32)

FILL: Final = """\


def fill(cells, weights, tables, edges, told, spans, scratch, rows, apart_by, n, leaf, start, bins,
         count, grid, apart):
    numbers, size = scratch + {rows_size}, count + 2 + {others} * apart
    found = carray(pointer(numbers), ({strip},), np.uint32)
    parts = carray(pointer(scratch + 2 * {rows_size}), (size,), np.{state})
    for number in range((n + leaf - 1) // leaf):
        begin = number * leaf
        end = min(n, begin + leaf)
        for k in range(size):
            parts[k] = np.{state}(0)
        for row in range(rows):
            line = cells + row * apart_by
            for lo in range(begin, end, {strip}):
                x, many = line + lo * {size}, min({strip}, end - lo)
                soon = x + {ahead} * {strip} * {size}
                if rows > 1 and lo + {ahead} * {strip} >= end:  # in the next row
                    soon += apart_by - n * {size}
                numbered(x, soon, numbers, edges, told, spans, scratch, many, count, grid)
{added}
        table = carray(pointer(tables + number * bins * {state_size}), (bins,), np.{state})
        for k in range(bins):
            total = parts[start + k]
            if apart:
                for way in range(1, {others} + 1):
                    total += parts[start + k + way * apart]
            table[k] = total


kernel = njit("void({arguments})", nogil=True, error_model="numpy")(fill)
"""

COUNTED: Final = """\
                done = many // {ways} * {ways}
                for k in range(0, done, {ways}):
{together}
                for k in range(done, many):
                    parts[np.uint64(found[k])] += 1
"""

TOGETHER: Final = """\
                    parts[np.uint64(found[k + {way}]) + np.uint64({way}) * np.uint64(apart)] += 1
"""

ADDED: Final = """\
                w = carray(pointer(weights + lo * {weight_size}), (many,), np.{weight})
                for k in range(many):
                    parts[np.uint64(found[k])] += np.{state}(w[k])
"""


@lru_cache(maxsize=64)
def source(
    even: bool, cell: np.dtype[Any], weight: np.dtype[Any] | None, state: np.dtype[Any]
) -> str | None:
    """The text of a module that counts by bin, or adds weights; None where NumPy has to do.

    Parameters
    ----------
    even
        Whether the edges are evenly spaced.
    cell, weight, state
        Dtypes of the cells, of the weights if there are any, and of the tables.
    """
    strip = strip_source(even, cell, NUMBER)
    if strip is None or not (weight is None or is_added(weight)):
        return None
    names: dict[str, Any] = {"strip": STRIP, "ahead": AHEAD, "rows_size": STRIP * NUMBER.itemsize}
    names |= {"size": cell.itemsize, "state": state.name, "state_size": state.itemsize}
    names |= {"arguments": ", ".join(["int64"] * ARITY)}
    if weight is None:
        together = "".join(TOGETHER.format(way=way) for way in range(WAYS)).rstrip()
        added = COUNTED.format(ways=WAYS, together=together)
    else:
        names |= {"weight": storage(weight), "weight_size": weight.itemsize}
        added = ADDED.format(**names)
    return strip + FILL.format(added=added.rstrip(), others=(weight is None) * (WAYS - 1), **names)


def fill(
    tables: Block,
    cells: Block,
    weights: Block | None,
    *,
    leaf: int,
    bins: range,
    places: Places,
) -> bool:
    """Fill the `tables` of the leaves of a line of cells; False where NumPy has to.

    Parameters
    ----------
    cells
        A line; or rows, whose cells lie side by side, of one leaf without weights.
    bins
        Which tables hold, of all that are numbered from 1.
    """
    if cells.size < SMALL or not len(bins):
        return False
    text = source(
        places.even, cells.dtype, None if weights is None else weights.dtype, tables.dtype
    )
    native = None if text is None else compiled(text, ARITY, "counting by bin", cells.size)
    if native is None:
        return False
    x = cells if cells.ndim > 1 else np.ascontiguousarray(cells)[None]
    w = x if weights is None else np.ascontiguousarray(weights)
    room = places.bins + 2
    together = room <= MOST_BINS and min(leaf, x.size) >= CELLS_A_BIN * room
    apart = room if together and weights is None else 0
    size = room + (WAYS - 1) * apart
    scratch = np.empty(2 * STRIP * NUMBER.itemsize + size * tables.itemsize, np.uint8)
    at = address(x), address(w), address(tables), *places.addresses, address(scratch)
    rows = len(x), x.strides[0], x.shape[1], leaf
    native(*at, *rows, bins.start, len(bins), places.bins, places.grid, apart)
    return True
