"""States of leaves whose cells are columns of formulas: the tables that compiled code reads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import Any, Final, NamedTuple

import numpy as np

from dask_tapestry_kernels.cpu.jit.compile_service import Native, compiled
from dask_tapestry_kernels.cpu.reduction.column_widths import MOST_FORMULAS, VALUES
from dask_tapestry_kernels.cpu.reduction.fold_sources import FORMULAS, FORMULAS_ARITY
from dask_tapestry_kernels.cpu.reduction.joint_folds import ARITY, joint_source
from dask_tapestry_kernels.cpu.reduction.leaf_states import (
    Formula,
    Scratch,
    States,
    fold_of,
    leaf_states,
    simplified,
)
from dask_tapestry_kernels.cpu.reduction.leaf_tables import FORMULA_COLUMNS, JOINT, SOURCE, record
from dask_tapestry_kernels.cpu.reduction.supported_folds import NEAR_CELLS, SPREADS

Block = np.ndarray[Any, Any]
DType = np.dtype[Any]
Layout = tuple[list[int], list[int], list[list[int]]]  # extents, sides, strides of each operand

FEW_COLUMNS: Final = 8  # below which columns are not folded side by side
COLUMNS_OF_PLANES: Final = 64  # at least: each row of a plane is a call
MOST_REDUCED: Final = 2  # axes of which a leaf is rows


def still_in_rows(blocks: Sequence[Block], sides: tuple[int, ...]) -> tuple[int, ...] | None:
    """Numbers of the operands of a formula that are one cell in each row; None: no rows of columns.

    One axis is reduced, or two. Along the last one all operands have cells side by side, or the
    same cell for all columns: sums of ``w * x`` over time, of which `w` has a cell for each time.
    Of other kept axes, along which operands lie otherwise than `x`, each place is a plane of rows.
    """
    extents, cuts, strides = simplified(blocks[0].shape, sides, [b.strides for b in blocks])
    least = FEW_COLUMNS if len(extents) == 2 else COLUMNS_OF_PLANES
    if not 0 < len(cuts) <= MOST_REDUCED or len(extents) == len(cuts) or extents[-1] < least:
        return None
    along = [steps[-1] for steps in strides]
    if any(step not in (0, b.itemsize) for step, b in zip(along, blocks, strict=True)):
        return None
    still = tuple([i for i, step in enumerate(along) if step == 0])
    return still if len(still) < len(blocks) else None


def column_states(
    blocks: Sequence[Block],
    monoid: str,
    cell: DType,
    sides: tuple[int, ...],
    state: DType,
    formulas: Sequence[Formula],
) -> list[Block] | None:
    """States of the leaves of several formulas in one pass; None where it cannot be.

    It can where there are rows of columns, and the formulas are compiled for the operands that are
    still in them. Of a variance, which evaluates its formula twice, the second time of what a cache
    holds, each formula takes a pass. Arguments are those of `leaf_states`, but for several
    formulas; there is a result for each.
    """
    if not blocks[0].size or prod(sides) > NEAR_CELLS:
        return None
    still = still_in_rows(blocks, sides)
    if still is None or any((formula.still or ()) != still for formula in formulas):
        return None
    return _states(blocks, monoid, cell, sides, state, formulas)


def cell_states(block: Block, monoid: str, sides: tuple[int, ...], state: DType) -> Block | None:
    """States of leaves of cells in memory; None if nothing is compiled.

    Of columns that lie apart, yet closer than the cells of each, rows are copied side by side as
    they are folded. Packed before, a leaf of thousands of cells has room for few columns, of which
    each row is a piece of memory by itself: sums of columns of a 3000 x 6000 float64 of which every
    other one is taken come to 53 ms of a thread so, and to 21 row by row.
    """
    if block.size and prod(sides) <= NEAR_CELLS and _lie_apart(block, sides):
        states = _states([block], monoid, block.dtype, sides, state, [Formula(0)])
        if states is not None:
            return states[0]
    return leaf_states([block], monoid, block.dtype, sides, state)


def _lie_apart(block: Block, sides: tuple[int, ...]) -> bool:
    """Whether there are rows of many cells that do not lie side by side."""
    extents, cuts, (steps,) = simplified(block.shape, sides, [block.strides])
    if not 0 < len(cuts) <= MOST_REDUCED or len(extents) == len(cuts):
        return False
    if extents[-1] < COLUMNS_OF_PLANES or prod(cuts) < COLUMNS_OF_PLANES:
        return False
    down = min([abs(step) for step in steps[: len(cuts)]])
    return steps[-1] not in (0, block.itemsize) and abs(steps[-1]) < down


def _states(
    blocks: Sequence[Block],
    monoid: str,
    cell: DType,
    sides: tuple[int, ...],
    state: DType,
    formulas: Sequence[Formula],
) -> list[Block] | None:
    """`column_states` of blocks that lie in rows."""
    shape, rank = blocks[0].shape, len(sides)
    fold = fold_of(monoid, cell, state, blocks[0].size)
    driver = compiled(FORMULAS, FORMULAS_ARITY, "columns of formulas", blocks[0].size)
    if fold is None or driver is None:
        return None
    grid = [-(-n // side) for n, side in zip(shape, sides, strict=False)]
    layout = _of_two_axes(*simplified(shape, sides, [b.strides for b in blocks]))
    states = [States((*grid, *shape[rank:]), state) for _ in formulas]
    together = 1 if monoid in SPREADS else MOST_FORMULAS
    for first in range(0, len(formulas), together):
        some = slice(first, first + together)
        joint = _joint(monoid, state, formulas[some], blocks[0].size)
        loops = _Loops(fold.address, driver, joint)
        _fold(loops, blocks, cell, layout, states[some], formulas[some])
    return [one.joined() for one in states]


def _of_two_axes(
    extents: Sequence[int], cuts: Sequence[int], strides: Sequence[Sequence[int]]
) -> Layout:
    """The layout with two reduced axes, the first of one place where there was one."""
    if len(cuts) == MOST_REDUCED:
        return [*extents], [*cuts], [[*steps] for steps in strides]
    return [1, *extents], [1, *cuts], [[0, *steps] for steps in strides]


class _Loops(NamedTuple):
    """Address of a fold, its driver, and address of a loop over all formulas, 0 without one."""

    fold: int
    driver: Native
    joint: int


def _joint(monoid: str, state: DType, formulas: Sequence[Formula], cells: int) -> int:
    """Address of the loop that evaluates and folds all formulas; 0 where there is none, or yet."""
    expressions = tuple([formula.expression for formula in formulas])
    source = (
        None
        if None in expressions
        else joint_source(monoid, state, expressions, formulas[0].still or ())
    )
    if source is None:
        return 0
    native = compiled(source, ARITY, f"{monoid} of {len(formulas)} formulas", cells)
    return native.address if native else 0


def _joint_call(kernel: int, blocks: int, formulas: Sequence[Formula]) -> Block:
    """The record `JOINT` of a kernel, with room for its operands; nothing without a kernel."""
    if not kernel:
        return np.empty(0, np.int64)
    asked = dict.fromkeys(JOINT.names or (), 0) | {"kernel": kernel, "blocks": blocks}
    scalars = [scalar.ctypes.data for formula in formulas for scalar in formula.scalars]
    return np.array([*record(JOINT, **asked).item(), *[0] * (2 * blocks), *scalars], np.int64)


def _fold(
    loops: _Loops,
    blocks: Sequence[Block],
    cell: DType,
    layout: Layout,
    states: Sequence[States],
    formulas: Sequence[Formula],
) -> None:
    """Have the address of a fold called by its driver; write the states of each formula.

    `layout` is that of the blocks, with two reduced axes.
    """
    fold, driver, kernel = loops
    extents, cuts, strides = layout
    parts = np.array([one.addresses for one in states], np.int64)
    items = np.array(states[0].items, np.int64)
    most = max(len(formula.scalars) for formula in formulas)
    operands = []
    for block, steps in zip(blocks, strides, strict=True):
        operands += [block.ctypes.data, steps[1], steps[0], steps[-1]]
    joint = _joint_call(kernel, len(blocks), formulas)
    values = VALUES * cell.itemsize
    scratch = Scratch(values + 8 * (len(blocks) + most))
    head = record(
        SOURCE,
        formulas=len(formulas),
        values=scratch.address,
        addresses=scratch.address + values,
        operands=len(blocks) + most,
        joint=joint.ctypes.data if len(joint) else 0,
        inner=0,
    )
    source = np.array([*head.item(), *_formulas(formulas, operands, parts, most)], np.int64)
    jumps = _jumps(extents, cuts[0], strides, most)
    arguments = record(
        FORMULA_COLUMNS,
        fold=fold,
        source=source.ctypes.data,
        part_items=items.ctypes.data,
        part_count=len(items),
        extent=extents[1],
        side=cuts[1],
        outer=extents[0],
        outer_side=cuts[0],
        kept=extents[-1],
        planes=len(jumps),
        jumps=jumps.ctypes.data,
    )
    driver(arguments.ctypes.data)


def _jumps(
    extents: Sequence[int], side: int, strides: Sequence[Sequence[int]], scalars: int
) -> Block:
    """For each plane and operand the bytes to it from behind the places of the plane before."""
    outer = extents[2:-1]
    places = np.indices(outer).reshape(len(outer), prod(outer))
    first = np.array([steps[2:-1] for steps in strides], np.int64) @ places
    rows = -(-extents[0] // side) * side
    behind = np.array([[rows * steps[0]] for steps in strides], np.int64)
    jumps = np.diff(first, axis=1, prepend=0) - behind
    return np.vstack([jumps, np.zeros((scalars, jumps.shape[1]), np.int64)]).T.copy()


def _formulas(
    formulas: Sequence[Formula], operands: Sequence[int], parts: Block, most: int
) -> Iterator[int]:
    """A record `FORMULA` for each formula, followed by a record `OPERAND` for each operand.

    `operands` has those of the blocks. Constants come after them, `most` at most: operands that
    stay where they are.
    """
    for formula, places in zip(formulas, parts, strict=True):
        yield from (formula.row, places.ctypes.data, *operands)
        for scalar in formula.scalars:
            yield from (scalar.ctypes.data, 0, 0, 0)
        yield from (0, 0, 0, 0) * (most - len(formula.scalars))
