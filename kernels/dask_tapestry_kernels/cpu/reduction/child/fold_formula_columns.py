"""Columns of formulas, folded as they are evaluated: their cells are never in memory.

Rows of some columns are evaluated into the first cache and added to accumulators in the second, so
each operand is read once and in pieces of kilobytes. Several formulas that are folded alike lie
beside each other as more columns: sums of u², v² and u·v read u and v once.

Importing this module imports numba, so only what compiles, or loads what was compiled, does.
"""

from __future__ import annotations

from typing import Final

from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import call_fold, call_row
from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import get_int64 as get
from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import set_int64 as put
from dask_tapestry_kernels.cpu.reduction.child.simd_accumulators import LANES, called, keep_apart

HEAD: Final = 4  # words of a table before those of its formulas


@called(7)
def evaluate(source: int, one: int, k: int, number: int, rows: int, cells: int, line: int) -> None:
    """Evaluate a formula in `rows` rows, `LANES` apart, and `cells` columns from column k on.

    `source` is a table: number of formulas, where values go, room for operands' addresses, number
    of operands; then of each formula the address of its row, that of the table of its parts of the
    states, and of each operand the address of its first cell, and the bytes from row to row and
    from column to column.
    """
    keep_apart()
    out, addresses, count = get(source, 1), get(source, 2), get(source, 3)
    table = source + 8 * (HEAD + one * (2 + 3 * count))
    for r in range(rows):
        for p in range(count):
            at = 2 + 3 * p
            apart = (number + r * LANES) * get(table, at + 1) + k * get(table, at + 2)
            put(addresses, p, get(table, at) + apart)
        call_row(get(table, 0), (cells, addresses, out + r * line))


@called(7)
def fold_formulas(
    fold: int, source: int, part_items: int, part_count: int, extent: int, side: int, kept: int
) -> None:
    """Fold leaf by leaf of `side` rows; table and parts' addresses move along."""
    keep_apart()
    count = get(source, 3)
    for first in range(0, extent, side):
        call_fold(fold, (0, 1, 0, min(side, extent - first), 0, 0, kept, 0, source))
        for one in range(get(source, 0)):
            table = source + 8 * (HEAD + one * (2 + 3 * count))
            for p in range(count):
                at = 2 + 3 * p
                put(table, at, get(table, at) + side * get(table, at + 1))
            parts = get(table, 1)
            for part in range(part_count):
                put(parts, part, get(parts, part) + kept * get(part_items, part))
