"""States of leaves whose cells are columns of formulas: the tables that compiled code reads."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cpu.jit.compile_service import compiled
from dask_tapestry_kernels.cpu.reduction.fold_texts import NEAR_CELLS, SPREADS, formulas_source
from dask_tapestry_kernels.cpu.reduction.leaf_states import Formula, States, fold_of, simplified

Block = np.ndarray[Any, Any]
DType = np.dtype[Any]

ARITY: Final = 7
FORMULAS: Final = formulas_source()
FEW_COLUMNS: Final = 8  # below which columns are not folded side by side
MOST_FORMULAS: Final = 16  # that are folded together: each has 32 columns at a time
CELLS: Final = 8 * 512  # of a formula at a time: rows and columns, as `fold_many_columns` has them


def column_states(
    blocks: Sequence[Block],
    monoid: str,
    cell: DType,
    sides: tuple[int, ...],
    state: DType,
    formulas: Sequence[Formula],
) -> list[Block] | None:
    """As `leaf_states.leaf_states` for each of some formulas, in one pass; None where it cannot be.

    It can where one axis is reduced and the others are columns side by side, in all blocks, and a
    cell is read once: a variance reads it twice.
    """
    shape, rank = blocks[0].shape, len(sides)
    if not blocks[0].size or prod(sides) > NEAR_CELLS or len(formulas) > MOST_FORMULAS:
        return None
    extents, cuts, strides = simplified(shape, sides, [b.strides for b in blocks])
    alike = all(steps[1:] == [b.itemsize] for steps, b in zip(strides, blocks, strict=True))
    if len(extents) != 2 or len(cuts) != 1 or not alike or extents[1] < FEW_COLUMNS:
        return None
    fold = None if monoid in SPREADS else fold_of(monoid, cell, state, blocks[0].size)
    driver = compiled(FORMULAS, ARITY, "columns of formulas", blocks[0].size)
    if fold is None or driver is None:
        return None
    grid = [-(-n // side) for n, side in zip(shape, sides, strict=False)]
    states = [States((*grid, *shape[rank:]), state) for _ in formulas]
    parts = np.array([one.addresses for one in states], np.int64)
    items = np.array(states[0].items, np.int64)
    operands = [
        word
        for block, apart in zip(blocks, strides, strict=True)
        for word in (block.ctypes.data, *apart)
    ]
    scratch = np.empty(CELLS * cell.itemsize + 64, np.uint8)
    table = _table(formulas, operands, parts, -(-scratch.ctypes.data // 64) * 64)
    driver(
        fold.address, table.ctypes.data, items.ctypes.data, len(items),
        extents[0], cuts[0], extents[1],
    )  # fmt: skip
    return [one.joined() for one in states]


def _table(
    formulas: Sequence[Formula], operands: Sequence[int], parts: Block, scratch: int
) -> Block:
    """What `fold_formula_columns.evaluate` takes; room for the operands' addresses is at its end.

    `operands` has three words for each; constants are operands that stay where they are.
    """
    most = max(len(formula.scalars) for formula in formulas)
    count = len(operands) // 3 + most
    words = [len(formulas), scratch, 0, count]
    for formula, places in zip(formulas, parts, strict=True):
        constants = [word for one in formula.scalars for word in (one.ctypes.data, 0, 0)]
        words += [formula.row, places.ctypes.data, *operands, *constants]
        words += [0, 0, 0] * (most - len(formula.scalars))
    table = np.array([*words, *[0] * count], np.int64)
    table[2] = table[len(words) :].ctypes.data
    return table
