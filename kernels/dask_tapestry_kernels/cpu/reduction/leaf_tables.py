"""Tables of int64 that compiled folds take: what each word of them says.

NumPy writes them (`leaf_states`, `formula_states`), compiled code reads them (`child.leaf_driver`,
`child.fold_leaf`, `child.fold_formula_columns`), both by the names here. Addresses are words too.
"""

from __future__ import annotations

from enum import IntEnum, auto
from typing import Any

import numpy as np


class Word(IntEnum):
    """Places in a table, counted from 0 in the order of their names."""

    @staticmethod
    def _generate_next_value_(name: str, start: int, count: int, last: list[Any]) -> int:  # noqa: ARG004
        return count


class LeafWord(Word):
    """All leaves of a block, for `leaf_driver.fold_leaves`."""

    FOLD = auto()  #: address of a kernel of `fold_texts.fold_source`
    ROW = auto()
    """Address of ``row(n, table, out)``, which evaluates a formula of n cells of the contiguous
    operands whose addresses are in the table; 0 if the one operand is folded itself."""
    OPERANDS = auto()
    """Address of a table: of each operand the address, the size of a cell, and its strides."""
    COUNT = auto()  #: of operands
    SHAPE = auto()  #: address of the block's extents, reduced axes first
    NDIM = auto()  #: number of axes
    REDUCED = auto()  #: number of reduced axes
    SIDES = auto()  #: address of the sides of a leaf along the reduced axes
    ITEM = auto()  #: bytes of a cell that is folded
    PARTS = auto()
    """Address of a table: where each part of the states begins, a contiguous array of shape
    (leaves along each reduced axis, kept axes)."""
    PART_ITEMS = auto()  #: address of the sizes of the parts' cells
    PART_COUNT = auto()  #: number of parts
    SCRATCH = auto()  #: address of memory for one leaf of each operand and of the formula, or more
    SIZE = auto()  #: bytes of this memory


class FoldWord(Word):
    """One call of a fold: some leaves, whose states are written side by side.

    Cell i (of `NEAR_CELLS` at most, in C order) of leaf l and column k lies at ``CELLS +
    l * LEAF_STRIDE + (i // 32) * ROUND_STRIDE + (i % 32) * CELL_STRIDE + k * itemsize``.
    """

    CELLS = auto()  #: address of the first cell
    LEAVES = auto()  #: number of leaves
    LEAF_STRIDE = auto()  #: bytes from leaf to leaf
    N = auto()  #: cells of a leaf in each column
    ROUND_STRIDE = auto()  #: bytes from 32 cells to the next 32
    CELL_STRIDE = auto()  #: bytes from cell to cell; of one column the size of a cell
    KEPT = auto()  #: columns, side by side
    PARTS = auto()  #: address of a table: where each part of the states goes, (leaves, columns)
    SOURCE = auto()  #: 0, or the address of a table of `SourceWord`, which makes cells of one leaf


class FormulaWord(Word):
    """All leaves of columns of formulas, for `fold_formula_columns.fold_formulas`."""

    FOLD = auto()  #: address of a kernel of `fold_texts.fold_source`
    SOURCE = auto()  #: address of a table of `SourceWord`
    PART_ITEMS = auto()  #: address of the sizes of the parts' cells
    PART_COUNT = auto()  #: number of parts
    EXTENT = auto()  #: rows
    SIDE = auto()  #: rows of a leaf
    KEPT = auto()  #: columns


class SourceWord(Word):
    """Formulas whose values are the cells of a leaf; then come the words of each formula.

    Of each formula there are ``2 + 3 * OPERANDS`` words: the address of its row, the address of the
    table of its parts of the states, and of each operand the address of its first cell and the
    bytes from row to row and from column to column.
    """

    FORMULAS = auto()  #: number of formulas
    VALUES = auto()  #: address where values go
    ADDRESSES = auto()  #: address of room for the operands' addresses
    OPERANDS = auto()  #: number of operands of each formula


def table(words: type[Word], **values: int) -> np.ndarray[Any, np.dtype[np.int64]]:
    """The table in which each of `words` has its value.

    Examples
    --------
    >>> table(FormulaWord, FOLD=1, SOURCE=2, PART_ITEMS=3, PART_COUNT=4, EXTENT=5, SIDE=6, KEPT=7)
    array([1, 2, 3, 4, 5, 6, 7])
    """
    if len(values) != len(words):
        raise ValueError(f"not the words of {words.__name__}: {', '.join(values)}")
    return np.array([values[name] for name in words.__members__], np.int64)
