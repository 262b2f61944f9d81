"""Formulas one after the other, in tiles of a block that stay in cache."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from dask_tapestry_kernels.cpu.cells import rows
from dask_tapestry_kernels.cpu.cells.compiled_formulas import Layout, layout_of
from dask_tapestry_kernels.cpu.jit.compile_service import compiled
from dask_tapestry_kernels.kernel_table import Kernel
from dask_tapestry_kernels.parameters.tiled_operations import GridLine, Operation

Block = np.ndarray[Any, Any]
LOOP: Final = "from dask_tapestry_kernels.cpu.cells.child.tile_loop import kernel\n"
LOOP_ARITY: Final = 5


def tiled_map(
    out: Block, *, operations: Sequence[Operation], grid: Sequence[GridLine], cells: int
) -> Block | None:
    """Run formulas in tiles, of which the last one writes to `out`; None where none is compiled.

    Parameters
    ----------
    operations
        The formulas in the first tile, in order.
    grid
        The tiles along each dimension.
    cells
        How many each formula computes in all tiles.
    """
    return out if run(operations, grid, cells) else None


def run(operations: Sequence[Operation], grid: Sequence[GridLine], cells: int) -> bool:
    """Run all operations in each tile, if they are compiled; return whether that was done.

    `cells` is the number of cells that each formula computes in all tiles.
    """
    loop = compiled(LOOP, LOOP_ARITY, "formulas in tiles", cells)
    found = [_ready(operation, len(grid), cells) for operation in operations]
    if loop is None or None in found:
        return False
    ready = [one for one in found if one is not None]
    table = np.array([one.line for one in ready], np.int64)
    places = np.array(grid, np.int64)
    scratch = max((one.layout.scratch() for one in ready), key=len)
    addresses = (places.ctypes.data, len(grid), scratch.ctypes.data)
    loop(table.ctypes.data, len(ready), *addresses)
    return True


class _Ready(NamedTuple):
    """An operation as the loop takes it; the arrays are those whose addresses the line holds."""

    line: list[int]
    layout: Layout
    first: Block
    moves: Block


def _ready(operation: Operation, rank: int, cells: int) -> _Ready | None:
    row = rows.row_of(operation.expression)
    if row is None:
        return None
    native = compiled(row.source, rows.ARITY, rows.text(operation.expression), cells)
    layout = layout_of(operation.arrays, row.scalars)
    if native is None or layout is None:
        return None
    *operands, result = operation.arrays
    *moves, last = operation.moves
    still = [(0,) * rank] * len(row.scalars)
    addresses = [a.ctypes.data for a in (*operands, *row.scalars, result)]
    first, steps = np.array(addresses, np.int64), np.array([*moves, *still, last], np.int64)
    places = [layout.table.ctypes.data, first.ctypes.data, steps.ctypes.data]
    line = [native.address, layout.arrays - 1, layout.rank, layout.strip, *places]
    return _Ready(line, layout, first, steps)


KERNELS: Final[dict[str, Kernel]] = {"tiledmap": tiled_map}  # type: ignore[dict-item]
