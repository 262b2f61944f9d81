"""Columns of formulas, folded as they are evaluated: their cells are never in memory.

Rows of some columns are evaluated into the first cache and added to accumulators in the second, so
each operand is read once and in pieces of kilobytes. A leaf of two reduced axes is rows too, those
of one place along the first axis after the other. Several formulas that are folded alike lie
beside each other as more columns: sums of u², v² and u·v read u and v once.
"""

from __future__ import annotations

from typing import Final

from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import call_fold, call_row, fetch_lines
from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import get_int64 as get
from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import set_int64 as put
from dask_tapestry_kernels.cpu.jit.child.strided_copy import copy_line
from dask_tapestry_kernels.cpu.reduction import leaf_tables
from dask_tapestry_kernels.cpu.reduction.child.leaf_records import (
    FORMULA_COLUMNS,
    Record,
    call_at,
    call_room,
    formula_at,
    formula_columns_at,
    joint_at,
    operand_at,
    source_at,
)
from dask_tapestry_kernels.cpu.reduction.child.simd_accumulators import LANES
from dask_tapestry_kernels.elementary.compiled_functions import I64, called, keep_apart

# Cells of a row, of float64 a page; with 128, sums of formulas take 1.05 to 1.12 times as long
TURN: Final = 512
# Bytes with which a row begins that are asked for: the others come by themselves once these are
# read. With whole rows asked for, sums of columns of x * y take 1.1 times as long
BEGUN: Final = 256
HEAD: Final = leaf_tables.SOURCE.itemsize
JOINT_BYTES: Final = leaf_tables.JOINT.itemsize
FORMULA_BYTES: Final = leaf_tables.FORMULA.itemsize
OPERAND_BYTES: Final = leaf_tables.OPERAND.itemsize


@called(2, result=I64)
def formula_address(source: int, number: int) -> int:
    """Where the record of formula `number` lies; those of its operands come after it."""
    of_one = FORMULA_BYTES + OPERAND_BYTES * source_at(source).operands
    at: int = source + HEAD + number * of_one
    return at


@called(7)
def evaluate(
    source: int, formula: int, k: int, number: int, rows: int, cells: int, line: int
) -> None:
    """Evaluate a formula in `rows` rows of `cells` columns, from row `number`, column `k` on.

    Rows are `LANES` apart in the operands and `line` bytes apart in the values. They take turns, so
    that the lines of memory that follow in one are on their way while others are evaluated. Without
    a formula the cells of the one operand are copied.
    """
    keep_apart()
    told, at = source_at(source), formula_address(source, formula)
    item, inner = line // cells, told.inner
    for first in range(0, cells, TURN):
        count = min(TURN, cells - first)
        for r in range(rows):
            over = (number + r * LANES) // inner
            down = number + r * LANES - over * inner
            for p in range(told.operands):
                operand = operand_at(at + FORMULA_BYTES + p * OPERAND_BYTES)
                apart = over * operand.over + down * operand.down + (k + first) * operand.along
                put(told.addresses, p, operand.cell + apart)
                if operand.down:  # the row below, of the next lane
                    below = operand.cell + apart + operand.down
                    fetch_lines(below, min(BEGUN, count * operand.along))
            values = told.values + r * line + first * item
            if formula_at(at).row:
                call_row(formula_at(at).row, (count, told.addresses, values))
            else:
                along = operand_at(at + FORMULA_BYTES).along
                copy_line(get(told.addresses, 0), values, count, item, along, item)


@called(7)
def fold_jointly(
    source: int, accumulators: int, apart: int, k: int, count: int, number: int, rows: int
) -> None:
    """Fold all formulas of `rows` rows of `count` columns, from row `number`, column `k` on.

    Accumulators of a formula are `apart` bytes from those of the one before. All rows of a lane are
    equally far apart: the leaf has one place along the first axis, or 32 rows are some of its
    places.
    """
    keep_apart()
    told = source_at(source)
    joint, at = joint_at(told.joint), formula_address(source, 0)
    joint.columns, joint.rows, joint.first = count, rows, 1 if number < LANES else 0
    joint.accumulators, joint.apart = accumulators, apart
    inner = told.inner
    over, places = number // inner, 0 if LANES % inner else LANES // inner
    down = number - over * inner
    for p in range(joint.blocks):
        operand = operand_at(at + FORMULA_BYTES + p * OPERAND_BYTES)
        first = operand.cell + over * operand.over + down * operand.down + k * operand.along
        step = places * operand.over if places else LANES * operand.down
        put(told.joint + JOINT_BYTES, 2 * p, first)
        put(told.joint + JOINT_BYTES, 2 * p + 1, step)
    call_fold(joint.kernel, (told.joint,))


@called(FORMULA_COLUMNS, 2)
def _move_parts(block: Record, formula: int, states: int) -> None:
    """Move the parts of a formula's states on by so many states."""
    parts = formula_at(formula).parts
    for part in range(block.part_count):
        put(parts, part, get(parts, part) + states * get(block.part_items, part))


@called(FORMULA_COLUMNS, 1, 1)
def _move_on(block: Record, formula: int, operands: int) -> None:
    """Move the operands of a formula and its parts of the states to the next leaf."""
    for p in range(operands):
        operand = operand_at(formula + FORMULA_BYTES + p * OPERAND_BYTES)
        operand.cell += block.side * operand.down
    _move_parts(block, formula, block.planes * block.kept)


@called(FORMULA_COLUMNS, 2)
def _go_over(block: Record, formula: int, operands: int) -> None:
    """Move the operands of a formula from behind the rows to those of the next places."""
    rows = (block.extent + block.side - 1) // block.side * block.side
    for p in range(operands):
        operand = operand_at(formula + FORMULA_BYTES + p * OPERAND_BYTES)
        operand.cell += block.outer_side * operand.over - rows * operand.down


@called(FORMULA_COLUMNS, 3)
def _go_to_plane(block: Record, formula: int, operands: int, plane: int) -> None:
    """Move the operands of a formula and its parts from behind the last plane to this one."""
    for p in range(operands):
        operand = operand_at(formula + FORMULA_BYTES + p * OPERAND_BYTES)
        operand.cell += get(block.jumps, plane * operands + p)
    leaves = (block.extent + block.side - 1) // block.side
    leaves *= (block.outer + block.outer_side - 1) // block.outer_side
    _move_parts(block, formula, block.kept - leaves * block.planes * block.kept)


@called(1)
def fold_formulas(address: int) -> None:
    """Fold leaf by leaf; at `address` lies a record `leaf_tables.FORMULA_COLUMNS`."""
    keep_apart()
    block, call_address = formula_columns_at(address), call_room()
    call, source = call_at(call_address), source_at(block.source)
    call.cells = call.leaf_stride = call.round_stride = call.cell_stride = 0
    call.parts = formula_at(formula_address(block.source, 0)).parts  # where a second pass reads
    call.leaves, call.kept, call.source, call.picks = 1, block.kept, block.source, 0
    joint = source.joint
    for plane in range(block.planes):
        for number in range(source.formulas if plane else 0):
            _go_to_plane(block, formula_address(block.source, number), source.operands, plane)
        for over in range(0, block.outer, block.outer_side):
            places = min(block.outer_side, block.outer - over)
            for first in range(0, block.extent, block.side):
                source.inner = min(block.side, block.extent - first)
                source.joint = joint if places == 1 or LANES % source.inner == 0 else 0
                call.n = places * source.inner
                call_fold(block.fold, (call_address,))
                for number in range(source.formulas):
                    _move_on(block, formula_address(block.source, number), source.operands)
            for number in range(source.formulas):
                _go_over(block, formula_address(block.source, number), source.operands)
