"""Records of int64 that compiled folds take: what each field of them says.

NumPy writes them (`leaf_states`, `formula_states`), compiled code reads them by the same names
(`child.leaf_records`). Addresses are fields too.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

DType = np.dtype[Any]
MOST_OPERANDS: Final = 1024  # of a formula, constants included: compiled code has room for as many


def _record(*fields: str) -> DType:
    return np.dtype([(name, np.int64) for name in fields])


BLOCK: Final = _record(  # all leaves of a block, for `leaf_driver.fold_leaves`
    "fold",  # address of a kernel of `fold_sources.fold_source`
    "row",  # address of ``row(n, table, out)``, which evaluates a formula of n cells of the
    # contiguous operands whose addresses are in the table; 0 if the one operand is folded itself
    "in_line",  # whether the row reads the cells of a leaf where they lie, column after column:
    # they are contiguous in each operand, or the same one, of which the row reads one
    "operands",  # address of a table: of each operand address, size of a cell, and strides
    "count",  # of operands
    "shape",  # address of the block's extents, reduced axes first
    "ndim",  # number of axes
    "reduced",  # number of reduced axes
    "sides",  # address of the sides of a leaf along the reduced axes
    "item",  # bytes of a cell that is folded
    "parts",  # address of a table: where each part of the states begins, a contiguous array of
    # shape (leaves along each reduced axis, kept axes)
    "part_items",  # address of the sizes of the parts' cells
    "part_count",  # number of parts
    "scratch",  # address of memory for one leaf of each operand and of the formula, or more
    "size",  # bytes of this memory
    "picks",  # 0, or the address of the numbers of the columns that are folded, int64, of which
    # the shape has the count: then there are one reduced axis, whose cells lie side by side, and
    # one kept axis
)
CALL: Final = _record(  # one call of a fold: some leaves, whose states are written side by side
    # Cell i (of `NEAR_CELLS` at most, in C order) of leaf l and column k lies at ``cells +
    # l * leaf_stride + (i // 32) * round_stride + (i % 32) * cell_stride + k * itemsize``, where
    # with `picks` the number there takes the place of l.
    "cells",  # address of the first cell
    "leaves",  # number of leaves
    "leaf_stride",  # bytes from leaf to leaf
    "n",  # cells of a leaf in each column
    "round_stride",  # bytes from 32 cells to the next 32
    "cell_stride",  # bytes from cell to cell; of one column the size of a cell
    "kept",  # columns, side by side
    "parts",  # address of a table: where each part of the states goes, (leaves, columns)
    "source",  # 0, or the address of a record `SOURCE` that makes the cells of one leaf
    "picks",  # 0, or the address of int64, one for each leaf
)
FORMULA_COLUMNS: Final = _record(  # columns of formulas, for `fold_formula_columns.fold_formulas`
    "fold",  # address of a kernel of `fold_sources.fold_source`
    "source",  # address of a record `SOURCE`
    "part_items",  # address of the sizes of the parts' cells
    "part_count",  # number of parts
    "extent",  # rows of the last reduced axis
    "side",  # those of a leaf
    "outer",  # places along the reduced axis before it; 1 where there is none
    "outer_side",  # those of a leaf
    "kept",  # columns of a plane
    "planes",  # one for each place along the other kept axes
    "jumps",  # address of a table: for each plane, bytes to it from behind the last one's places
)
SOURCE: Final = _record(  # formulas whose values are the cells of a leaf
    "formulas",  # number of formulas
    "values",  # address where values go
    "addresses",  # address of room for the operands' addresses
    "operands",  # number of operands of each formula
    "joint",  # address of a record `JOINT` that folds all formulas at once; 0: one after the other
    "inner",  # rows of the leaf along the last reduced axis
)  # then for each formula a record `FORMULA`, and after it one `OPERAND` for each operand
JOINT: Final = (
    _record(  # rows of some columns, which a kernel of `joint_folds` adds to accumulators
        "kernel",  # its address; it takes the address of this record
        "blocks",  # operands that are blocks
        "columns",
        "rows",  # `column_widths.ROUNDS` at most
        "first",  # whether the first row begins the accumulators
        "accumulators",  # address of those of the first formula
        "apart",  # bytes from those of one formula to those of the next
    )
)  # then for each block the address of its first cell and the bytes from row to row, and for each
# constant of the formulas its address
FORMULA: Final = _record(
    "row",  # address of the formula's row
    "parts",  # address of the table of its parts of the states
)
OPERAND: Final = _record(
    "cell",  # address of the first cell
    "down",  # bytes from row to row
    "over",  # bytes to the rows of the next place along the reduced axis before
    "along",  # bytes from column to column
)

FILE: Final = _record(  # pieces of a file, one after the other, for `fold_file.fold_pieces`
    "file",  # its descriptor
    "at",  # byte at which the next piece begins
    "size",  # bytes of a piece
    "pieces",  # how many
    "buffer",  # address where a piece is read to
    "driver",  # address of `leaf_driver.fold_leaves`
    "block",  # address of a record `BLOCK` of a piece
    "parts",  # address of the table that it has of the parts of the states
    "steps",  # address of a table: bytes of each part from one piece to the next
    "part_count",  # number of parts
    "failed",  # whether the file ended before
)
TURNS: Final = _record(  # several folds of pieces of blocks, for `fold_in_turn.fold_in_turn`
    "pieces",  # how many
    "words",  # int64 that change from piece to piece
    "places",  # address of a table: where each of them lies
    "values",  # address of a table: for each piece the value of each of them
    "folds",  # how many
    "driver",  # address of `leaf_driver.fold_leaves`
    "blocks",  # address of a table: for each fold the address of a record `BLOCK` of a piece
)


def record(dtype: DType, **values: int) -> np.ndarray[Any, Any]:
    """The record in which each field has its value, as an array without axes.

    Examples
    --------
    >>> record(FORMULA, row=80, parts=16)
    array((80, 16), dtype=[('row', '<i8'), ('parts', '<i8')])
    """
    if dtype.names is None or values.keys() != set(dtype.names):
        raise ValueError(f"not the fields {dtype.names}: {', '.join(values)}")
    return np.array(tuple(values[name] for name in dtype.names), dtype)
