"""Scatter on a GPU: updates folded into blocks where index vectors say, as if one by one.

Rows are told by one kernel, put in order by CuPy's stable sort, and folded by a second one, so that
a cell's updates follow each other as on the CPU. Where each row is updated once nothing is sorted.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, Final, NamedTuple

import numpy as np

from dask_tapestry_kernels.cuda.blocks.picked_cells import (
    Pick,
    aligned,
    as_words,
    cleared,
    picked,
    refused,
)
from dask_tapestry_kernels.cuda.blocks.scatter_texts import (
    fold_program,
    once_program,
    rows_program,
)
from dask_tapestry_kernels.cuda.jit.program import CudaProgram
from dask_tapestry_kernels.cuda.jit.runtime import Block, Runtime, blocks_for, runtime
from dask_tapestry_kernels.device_error import KernelDeviceError
from dask_tapestry_kernels.formulas.update_steps import Folds, only_moves
from dask_tapestry_kernels.kernel_table import Kernel
from dask_tapestry_kernels.output_blocks import OutputBlocks, OutputShape
from dask_tapestry_kernels.parameters.coordinate_steps import (
    CoordinateStep,
    component_of,
    rows_from,
)

INT64: Final = np.dtype(np.int64)


class _Move(NamedTuple):
    """Numbers that move rows: a pick, the coordinate's part of each axis of the rows, and more."""

    pick: Pick
    along: tuple[int, ...]
    shift: int
    side: int
    pace: int


def scatter(
    out: Block | None,
    *blocks: Block,
    steps: Sequence[tuple[int | None, int | None, int, int, int, int]],
    vector: int,
    window: tuple[int, ...],
    expressions: tuple[Any, ...],
    outputs: tuple[OutputShape, ...] = (),
    kept: tuple[int, ...] = (),
    strict: bool = False,
    once: bool = False,
) -> Any:
    """The operands with updates folded in.

    Parameters
    ----------
    *blocks
        N operands of one shape, the indices, and N updates of one shape.
    steps, vector
        As of `gather.gather`, of operands and updates.
    window
        Axes of the updates that run through windows.
    expressions
        N cell expressions of 2N parameters: what each cell becomes of all cells there, and of the
        updates.
    outputs, kept
        Of several results, how those that are returned lie, and their numbers.
    strict
        Count negative indices from the end, and raise IndexError for those out of bounds.
    once
        Raise ValueError where a cell is updated twice.

    Raises
    ------
    KernelDeviceError
        If a step of an expression is not supported on a GPU.
    """
    count, gpu = len(expressions), runtime()
    operands, indices, updates = blocks[:count], aligned(gpu, blocks[count]), blocks[count + 1 :]
    coordinate_steps = [CoordinateStep(*step) for step in steps]
    program = _program(operands, expressions, not once)
    results = [_copied(gpu, out if count == 1 else None, x) for x in operands]
    shape, sides = updates[0].shape, operands[0].shape
    lead = rows_from(coordinate_steps, window, shape, sides)
    moves = _moves(indices, vector, window, coordinate_steps, shape[:lead], sides)
    if prod(shape) and prod(sides):
        rows = _rows(gpu, coordinate_steps, moves, shape[:lead], sides, strict)
        if once:
            _look(gpu, rows, prod(sides))
        cells = [*results, *[gpu.in_order(u) for u in updates]]
        cells = list(map(as_words, cells)) if only_moves(expressions) else cells
        _fold(gpu, program, cells, prod(shape), rows, not once)
    elif strict:
        error = refused(gpu, [move.pick for move in moves])
        if error is not None:
            raise error
    if count == 1:
        return results[0]
    return OutputBlocks(results[0].shape, outputs, [results[n] for n in kept])


def fold_rows(table: Block, updates: Block, rows: Block, expressions: tuple[Any, ...]) -> None:
    """Fold updates into the rows of a table, in C order, that each has, as if one after the other.

    Parameters
    ----------
    rows
        The row of each update, int64 in C order; those below zero are left out.
    expressions
        One cell expression of a cell and its update.

    Raises
    ------
    KernelDeviceError
        If a step of it is not supported on a GPU.
    """
    gpu, program = runtime(), _program([table], expressions, True)
    cells = [table, gpu.in_order(updates)]
    if prod(updates.shape):
        cells = list(map(as_words, cells)) if only_moves(expressions) else cells
        _fold(gpu, program, cells, prod(updates.shape), rows, True)


def _program(operands: Sequence[Block], expressions: tuple[Any, ...], ordered: bool) -> CudaProgram:
    """The program that folds updates into cells of the operands."""
    program = fold_program(_folds(operands, expressions), ordered)
    if program is None:
        raise KernelDeviceError(f"kernel scatter: {expressions[0]} is not supported on a GPU")
    return program


def _folds(operands: Sequence[Block], expressions: tuple[Any, ...]) -> Folds:
    """What each cell becomes; cells that are only moved are words."""
    if only_moves(expressions):
        return tuple([(as_words(x).dtype, None) for x in operands])
    return tuple([(x.dtype, e) for x, e in zip(operands, expressions, strict=True)])


def _copied(gpu: Runtime, out: Block | None, block: Block) -> Block:
    """A copy in C order, in memory that is given if there is such."""
    result = out
    if result is None or not (result.flags.c_contiguous and gpu.is_addressed_by_cells(result)):
        result = gpu.empty(block.shape, block.dtype)
    result[...] = block
    return result


def _moves(
    indices: Block,
    vector: int,
    window: tuple[int, ...],
    steps: Sequence[CoordinateStep],
    shape: tuple[int, ...],
    sides: tuple[int, ...],
) -> list[_Move]:
    """What numbers move, of rows that run through the first axes of the updates, of `shape`."""
    rank, moves = len(shape), []
    paces = _paces(steps, rank, sides)
    batch = [axis for axis in range(rank) if axis not in window]
    for dim, step in enumerate(steps):
        numbers = component_of(indices, vector, step.component)
        if numbers is None:
            continue
        strides, along = [0] * rank, [0] * rank
        for axis, stride in zip(batch, numbers.strides, strict=True):
            strides[axis] = stride
        if step.axis is not None:
            along[step.axis] = 1
        pick = Pick(numbers, tuple(strides), dim, step.extent, 0, 0)
        shift = step.first - step.origin
        moves.append(_Move(pick, tuple(along), shift, sides[dim], paces[dim]))
    return moves


def _paces(steps: Sequence[CoordinateStep], lead: int, sides: tuple[int, ...]) -> list[int]:
    """Rows from one coordinate to the next along each dimension; 0 along those of a row."""
    paces, pace = [0] * len(steps), 1
    for dim in reversed(range(len(steps))):
        axis = steps[dim].axis
        if axis is None or axis < lead:
            paces[dim], pace = pace, pace * sides[dim]
    return paces


def _rows(
    gpu: Runtime,
    steps: Sequence[CoordinateStep],
    moves: Sequence[_Move],
    shape: tuple[int, ...],
    sides: tuple[int, ...],
    strict: bool,
) -> Block:
    """The row of each update, int64 in C order; -1 for those outside of the block.

    Raises
    ------
    IndexError
        If a strict number is out of bounds, as NumPy says it.
    """
    rank, count = len(shape), prod(shape)
    own, base, paces = [0] * rank, 0, _paces(steps, rank, sides)
    moved = [move.pick.axis for move in moves]
    for dim, step in enumerate(steps):
        if dim not in moved and paces[dim]:
            base += (step.first - step.origin) * paces[dim]
            if step.axis is not None:
                own[step.axis] += paces[dim]
    words = [count, *shape[1:], *own]
    for move in moves:
        words += [s // move.pick.numbers.itemsize for s in move.pick.strides]
    for move in moves:
        words += move.along
    for move in moves:
        words += [move.pick.extent, move.shift, move.side, move.pace]
    rows = gpu.empty((count,), INT64)
    found = cleared(gpu, np.dtype(np.int32)) if strict else None
    arguments = [*map(np.int64, [*words, base]), *[move.pick.numbers for move in moves]]
    arguments += [rows] if found is None else [found, rows]
    dtypes = tuple([move.pick.numbers.dtype for move in moves])
    gpu.launch(rows_program(dtypes, rank, strict), blocks_for(count, gpu), arguments)
    if found is not None and gpu.to_host(found)[0]:
        error = refused(gpu, [move.pick for move in moves])
        assert error is not None
        raise error
    return rows


def _look(gpu: Runtime, rows: Block, cells: int) -> None:
    """Raise ValueError where a row is updated twice: then one of its updates finds another's mark.

    Whatever order marks are written in, of several in one row one stays.
    """
    marks, twice = gpu.empty((cells,), INT64), cleared(gpu, np.dtype(np.int32))
    count = rows.shape[0]
    for look in (False, True):
        gpu.launch(
            once_program(look), blocks_for(count, gpu), [np.int64(count), rows, marks, twice]
        )
    if gpu.to_host(twice)[0]:
        raise ValueError("indices are said to be unique, and a cell is updated twice")


def _fold(
    gpu: Runtime,
    program: CudaProgram,
    cells: Sequence[Block],
    size: int,
    rows: Block,
    ordered: bool,
) -> None:
    """Fold updates of so many cells into the rows that each has; `cells` are results, then they."""
    count = rows.shape[0]
    row_blocks: list[Block] = [rows]
    if ordered:
        order = gpu.order_of(rows)
        pick = Pick(order, (order.strides[0],), 0, count, 0, count - 1)
        row_blocks = [picked(None, rows, [pick], [0], 0, (count,)), order]
    words = map(np.int64, (size, size // count, count))
    gpu.launch(program, blocks_for(size, gpu), [*words, *row_blocks, *cells])


KERNELS: Final[dict[str, Kernel]] = {"scatter": scatter}
