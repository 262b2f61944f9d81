"""Searches in compiled loops: a strip of cells takes each step of a binary search together.

No step waits for the one of another cell, and none branches on what it finds: of unsorted cells
half of all branches are mispredicted, and a cell of a table beyond the cache is waited for.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final, Literal

import numpy as np

from dask_tapestry_kernels.cpu.jit.compile_service import compiled
from dask_tapestry_kernels.cpu.jit.memory_layout import address, storage

Block = np.ndarray[Any, Any]
Answer = Literal["left", "right", "within"]

SMALL: Final = 4_096  # cells; fewer are not worth a kernel that is not loaded
STRIP: Final = 256  # cells that are searched for together
ARITY: Final = 8

TEXT: Final = """\
import numpy as np
from numba import carray, njit
from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import pointer
from dask_tapestry_kernels.elementary.number_intrinsics import choose


def search(cells, table, found, scratch, n, count, last, inverted):
    t = carray(pointer(table), (count,), np.{common})
    at = carray(pointer(scratch), ({strip},), np.uint64)
    one, most = np.uint64(1), np.uint64(count - 1)
    for lo in range(0, n, {strip}):
        width = min({strip}, n - lo)
        x = carray(pointer(cells + lo * {size}), (width,), np.{cell})
        o = carray(pointer(found + lo * {found_size}), (width,), np.{found})
        for k in range(width):
            at[k] = 0
        rest = np.uint64(count)
        while rest > one:
            half = rest >> one
            for k in range(width):
                next = at[k] + half
                at[k] = choose(t[next - one] {before} np.{common}(x[k]), next, at[k])
            rest -= half
        for k in range(width):
            cell = np.{common}(x[k])
            place = choose(t[at[k]] {before} cell, at[k] + one, at[k])
            o[k] = {answer}


kernel = njit("void({arguments})", nogil=True, error_model="numpy")(search)
"""
PLACE: Final = "np.int64(choose(cell == cell, place, np.uint64(last)))"
WITHIN: Final = "np.uint8((t[choose(place < most, place, most)] == cell) ^ (inverted != 0))"


@lru_cache(maxsize=64)
def source(cell: np.dtype[Any], common: np.dtype[Any], answer: Answer) -> str | None:
    """The text of a module that searches for cells; None where NumPy has to.

    Parameters
    ----------
    cell, common
        Dtypes of the cells, and of the table, in which they are compared.
    answer
        Places to the left or the right of equal cells, or whether there are equal ones.
    """
    if any(dtype.char in "eg" or not dtype.isnative for dtype in (cell, common)):
        return None
    within = answer == "within"
    return TEXT.format(
        cell=storage(cell),
        size=cell.itemsize,
        common=storage(common),
        found="uint8" if within else "int64",
        found_size=1 if within else 8,
        before="<=" if answer == "right" else "<",
        answer=WITHIN if within else PLACE,
        strip=STRIP,
        arguments=", ".join(["int64"] * ARITY),
    )


def searched(cells: Block, table: Block, answer: Answer, inverted: bool = False) -> Block | None:
    """What a search for `cells` in a sorted `table` finds; None where NumPy has to search.

    NaN is after all numbers, as NumPy sorts it.
    """
    if cells.size < SMALL or not table.size:
        return None
    kinds = cells.dtype.kind + table.dtype.kind
    common = np.result_type(cells.dtype, table.dtype) if set(kinds) <= set("biuf") else None
    if common is None or (common.kind == "f" and "f" not in kinds):  # i8 and u8 are equal exactly
        return None
    text = source(cells.dtype, common, answer)
    native = None if text is None else compiled(text, ARITY, "searching", cells.size)
    if native is None:
        return None
    sorted_cells = np.ascontiguousarray(table, common)
    count = len(table) - int(np.isnan(table).sum()) if common.kind == "f" else len(table)
    if not count:
        return None
    x, scratch = np.ascontiguousarray(cells), np.empty(STRIP, np.uint64)
    result = np.empty(cells.shape, bool if answer == "within" else np.int64)
    last = len(table) if answer == "right" else count
    addresses = map(address, (x, sorted_cells, result, scratch))
    native(*addresses, x.size, count, last, inverted)
    return result
