"""Columns of formulas, folded as they are evaluated: their cells are never in memory.

Rows of some columns are evaluated into the first cache and added to accumulators in the second, so
each operand is read once and in pieces of kilobytes. Several formulas that are folded alike lie
beside each other as more columns: sums of u², v² and u·v read u and v once.

Importing this module imports numba, so only what compiles, or loads what was compiled, does.
"""

from __future__ import annotations

from typing import Final

from dask_tapestry_kernels.cpu.jit.child.compiled_functions import I64, called, keep_apart, room
from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import call_fold, call_row
from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import get_int64 as get
from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import set_int64 as put
from dask_tapestry_kernels.cpu.reduction.child.simd_accumulators import LANES
from dask_tapestry_kernels.cpu.reduction.leaf_tables import FoldWord, FormulaWord, SourceWord

HEAD: Final = len(SourceWord)
ROW, PARTS, FIRST = 0, 1, 2  # words of a formula: `SourceWord`
CELL, DOWN, ALONG = 0, 1, 2  # words of its operands
CALL_WORDS: Final = len(FoldWord)
call_room = room(8 * CALL_WORDS)


@called(2, I64)
def formula_of(source: int, number: int) -> int:
    """Address of the words of formula `number`."""
    return source + 8 * (HEAD + number * (FIRST + 3 * get(source, SourceWord.OPERANDS)))  # type: ignore[no-any-return]


@called(7)
def evaluate(
    source: int, formula: int, k: int, number: int, rows: int, cells: int, line: int
) -> None:
    """Evaluate a formula in `rows` rows of `cells` columns, from row `number`, column `k` on.

    Rows are `LANES` apart in the operands and `line` bytes apart in the values.
    """
    keep_apart()
    out, addresses = get(source, SourceWord.VALUES), get(source, SourceWord.ADDRESSES)
    count, words = get(source, SourceWord.OPERANDS), formula_of(source, formula)
    for r in range(rows):
        for p in range(count):
            at = FIRST + 3 * p
            apart = (number + r * LANES) * get(words, at + DOWN) + k * get(words, at + ALONG)
            put(addresses, p, get(words, at + CELL) + apart)
        call_row(get(words, ROW), (cells, addresses, out + r * line))


@called(1)
def fold_formulas(block: int) -> None:
    """Fold leaf by leaf of a table of `FormulaWord`; addresses in tables move along."""
    keep_apart()
    call, source = call_room(), get(block, FormulaWord.SOURCE)
    side, extent = get(block, FormulaWord.SIDE), get(block, FormulaWord.EXTENT)
    for word in range(CALL_WORDS):
        put(call, word, 0)
    put(call, FoldWord.LEAVES, 1)
    put(call, FoldWord.KEPT, get(block, FormulaWord.KEPT))
    put(call, FoldWord.SOURCE, source)
    for first in range(0, extent, side):
        put(call, FoldWord.N, min(side, extent - first))
        call_fold(get(block, FormulaWord.FOLD), (call,))
        for formula in range(get(source, SourceWord.FORMULAS)):
            _move_on(block, formula_of(source, formula), get(source, SourceWord.OPERANDS))


@called(3)
def _move_on(block: int, words: int, count: int) -> None:
    """Move the operands of a formula and its parts of the states to the next leaf."""
    for p in range(count):
        at = FIRST + 3 * p
        apart = get(block, FormulaWord.SIDE) * get(words, at + DOWN)
        put(words, at + CELL, get(words, at + CELL) + apart)
    parts, items = get(words, PARTS), get(block, FormulaWord.PART_ITEMS)
    for part in range(get(block, FormulaWord.PART_COUNT)):
        apart = get(block, FormulaWord.KEPT) * get(items, part)
        put(parts, part, get(parts, part) + apart)
