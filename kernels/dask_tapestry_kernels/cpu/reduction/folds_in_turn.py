"""Several folds of the same blocks in turn, of as many leaves at a time as a core's cache holds.

The least and the greatest of 9 M float64 take 12 ms of a thread so, and 19 by pieces of 4 MiB that
Python goes through, as it takes a tenth of a millisecond for each.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from math import prod
from typing import Any, Final, NamedTuple

import numpy as np

from dask_tapestry_kernels.cpu.jit.compile_service import Native, compiled
from dask_tapestry_kernels.cpu.reduction.formula_states import still_in_rows
from dask_tapestry_kernels.cpu.reduction.leaf_pieces import Cut, leaf_grid, leaf_pieces
from dask_tapestry_kernels.cpu.reduction.leaf_states import (
    MOST_DIMS,
    Formula,
    States,
    driver_arguments,
    formula_of,
    loops_of,
    still_in_line,
)
from dask_tapestry_kernels.cpu.reduction.leaf_tables import MOST_OPERANDS, TURNS, record
from dask_tapestry_kernels.cpu.reduction.supported_folds import NEAR_CELLS
from dask_tapestry_kernels.fold_part import FoldPart

Block = np.ndarray[Any, Any]
Piece = tuple[Cut, Cut]  # slices of the leaves and of the cells

# Of the cells that all folds read. With 512 KiB the mean and standard deviation of 3000 x 3000
# float64 take 16 ms of a thread, with 1 MiB 13, with 2 MiB 14
PIECE_BYTES: Final = 2**20
SOURCE: Final = """\
from numba import njit

from dask_tapestry_kernels.cpu.reduction.child.fold_in_turn import fold_in_turn


@njit("void(int64)", nogil=True, error_model="numpy")
def kernel(call):
    fold_in_turn(call)
"""
ARITY: Final = 1  #: the address of a record `leaf_tables.TURNS`


class Fold(NamedTuple):
    """A compiled fold of some of the blocks."""

    loops: tuple[int, Native]
    numbers: tuple[int, ...]  #: of the blocks that it reads
    cell: np.dtype[Any]
    formula: Formula | None


def states_in_turn(blocks: Sequence[Block], parts: Sequence[FoldPart]) -> list[Block] | None:
    """States of the leaves, for each part, of blocks whose reduced axes come first.

    None where a part is not compiled, or would not be folded leaf by leaf.
    """
    shape, sides = blocks[0].shape, parts[0].tree.sides(0)
    if not prod(shape) or not sides or prod(sides) > NEAR_CELLS or len(shape) > MOST_DIMS:
        return None
    native = compiled(SOURCE, ARITY, "folds in turn", blocks[0].size)
    found = [_fold_of(blocks, part, sides) for part in parts]
    folds = [fold for fold in found if fold is not None]
    if native is None or len(folds) < len(parts):
        return None
    grid = leaf_grid(shape[: len(sides)], sides)
    states = [States((*grid, *shape[len(sides) :]), part.state) for part in parts]
    itemsize = sum(block.itemsize for block in blocks)
    pieces = sorted(leaf_pieces(shape, sides, itemsize, PIECE_BYTES), key=_extents)
    for _, alike in groupby(pieces, _extents):
        _run(native, blocks, sides, folds, states, list(alike))
    return [one.joined() for one in states]


def _extents(piece: Piece) -> list[int]:
    return [cut.stop - cut.start for cut in piece[1]]


def _fold_of(blocks: Sequence[Block], part: FoldPart, sides: tuple[int, ...]) -> Fold | None:
    """The fold of a part, if it is compiled; of a formula whose rows are not folded as columns."""
    expression, cells = part.expression, blocks[0].size
    chosen = 0 if expression is None else expression.chosen
    if chosen is not None:
        cell = blocks[chosen].dtype
        loops = loops_of(part.monoid, cell, part.state, cells)
        return None if loops is None else Fold(loops, (chosen,), cell, None)
    still = still_in_line(blocks, sides)
    formula = formula_of(expression, cells, still)
    loops = loops_of(part.monoid, expression.dtype, part.state, cells)
    if loops is None or formula is None or (still is None and still_in_rows(blocks, sides)):
        return None
    if len(blocks) + len(formula.scalars) > MOST_OPERANDS:
        return None
    return Fold(loops, tuple(range(len(blocks))), expression.dtype, formula)


def _run(
    native: Native,
    blocks: Sequence[Block],
    sides: tuple[int, ...],
    folds: Sequence[Fold],
    states: Sequence[States],
    pieces: Sequence[Piece],
) -> None:
    """Fold pieces of one size."""
    calls, places = [], list[int]()
    for fold, one in zip(folds, states, strict=True):
        own = [blocks[number][pieces[0][1]] for number in fold.numbers]
        told = one.addresses, one.items
        call = driver_arguments(fold.loops[0], own, fold.cell, sides, *told, fold.formula)
        table = int(call.record["operands"])
        width = 8 * (2 + int(call.record["ndim"]))
        places += [table + width * number for number in range(len(own))]
        places += [call.parts.ctypes.data + 8 * part for part in range(len(call.parts))]
        calls.append(call)
    values = np.stack(list(_values(blocks, folds, states, pieces)), axis=1)
    words, addresses = (np.array(some, np.int64) for some in (places, [c.address for c in calls]))
    turns = record(
        TURNS,
        pieces=len(pieces),
        words=len(words),
        places=words.ctypes.data,
        values=values.ctypes.data,
        folds=len(calls),
        driver=folds[0].loops[1].address,
        blocks=addresses.ctypes.data,
    )
    native(turns.ctypes.data)  # the calls are alive until then


def _values(
    blocks: Sequence[Block],
    folds: Sequence[Fold],
    states: Sequence[States],
    pieces: Sequence[Piece],
) -> Any:
    """For each word that changes from piece to piece its value in each: an address."""
    leaves, cells = (np.array([[cut.start for cut in of] for of in side], np.int64)
                     for side in zip(*pieces, strict=True))  # fmt: skip
    for fold, one in zip(folds, states, strict=True):
        for number in fold.numbers:
            block = blocks[number]
            yield block.ctypes.data + cells @ np.array(block.strides, np.int64)
        for part in one.parts:
            yield part.ctypes.data + leaves @ np.array(part.strides, np.int64)
