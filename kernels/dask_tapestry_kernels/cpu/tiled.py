"""Formulas one after the other, in tiles of a block that stay in cache."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from dask_tapestry_kernels.cpu import rows
from dask_tapestry_kernels.cpu.compiled import compiled
from dask_tapestry_kernels.cpu.formulas import layout_of

Block = np.ndarray[Any, Any]
LOOP: Final = "from dask_tapestry_kernels.cpu.tile_loop import kernel\n"
LOOP_ARITY: Final = 5


class Operation(NamedTuple):
    """A formula in the first tile.

    Attributes
    ----------
    arrays
        What it reads, then what it writes.
    moves
        For each of these, the bytes it moves with each cell that the tile moves, by dimension.
    """

    expression: Any
    arrays: tuple[Block, ...]
    moves: tuple[tuple[int, ...], ...]


class GridLine(NamedTuple):
    """Tiles along a dimension: how many, from one to the next, and where the last one begins."""

    tiles: int
    step: int
    last: int


def run(operations: Sequence[Operation], grid: Sequence[GridLine], cells: int) -> bool:
    """Run all operations in each tile, if they are compiled; return whether that was done.

    `cells` are those that each formula computes in all.
    """
    loop = compiled(LOOP, LOOP_ARITY, "formulas in tiles", cells)
    found = [_row(operation.expression, cells) for operation in operations]
    layouts = [layout_of(operation.arrays) for operation in operations]
    if loop is None or None in found or None in layouts:
        return False
    lines, kept = [], []
    for operation, row, layout in zip(operations, found, layouts, strict=True):
        assert layout is not None
        first = np.array([a.ctypes.data for a in operation.arrays], np.int64)
        moves = np.array(operation.moves, np.int64)
        kept += [first, moves]
        count, rank, strip, table = layout
        addresses = [table.ctypes.data, first.ctypes.data, moves.ctypes.data]
        lines.append([row, count - 1, rank, strip, *addresses])
    table, places = np.array(lines, np.int64), np.array(grid, np.int64)
    scratch = max((layout.scratch() for layout in layouts if layout), key=len)
    loop(
        len(lines) and table.ctypes.data,
        len(lines),
        places.ctypes.data,
        len(grid),
        scratch.ctypes.data,
    )
    return True


def _row(expression: Any, cells: int) -> int | None:
    source = rows.source(expression)
    row = source and compiled(source, rows.ARITY, str(expression), cells)
    return row.address if row else None
