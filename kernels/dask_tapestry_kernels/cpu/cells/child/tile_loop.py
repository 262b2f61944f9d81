"""The loop over tiles: several compiled rows, one after the other, in each tile of a block.

What a row writes for a tile the next one reads while it is in cache. From tile to tile the operands
move by a number of bytes a cell, which for buffers that all tiles share is none.
"""

from __future__ import annotations

import numpy as np
from numba import carray, njit  # type: ignore[attr-defined]

from dask_tapestry_kernels.cpu.cells.child.strided_loop import OPTIONS, walk
from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import pointer

LINE = 7  # integers that describe a row: see `kernel`


@njit("void(int64, int64, int64, int64, int64)", **OPTIONS)
def kernel(rows: int, count: int, grid: int, rank: int, scratch: int) -> None:
    """Run the `count` rows described at `rows` in each tile of the grid of `rank` dimensions.

    `rows` holds a line each: address of the compiled row, number of operands, rank, strip and
    address of the layout that `walk` takes, then the addresses of the operands' and the result's
    places in the first tile, and of how many bytes they move with each cell along each dimension of
    the grid. `grid` holds a line a dimension: tiles, cells from one to the next, and place of the
    last one, which may overlap the one before.
    """
    lines = carray(pointer(rows), (count, LINE), np.int64)
    dims = carray(pointer(grid), (rank, 3), np.int64)
    tiles = 1
    for dim in range(rank):
        tiles *= dims[dim, 0]
    for tile in range(tiles):
        for number in range(count):
            operands, inner = lines[number, 1], lines[number, 2]
            layout = lines[number, 4]
            places = carray(
                pointer(layout + 8 * (operands + 2) * (inner + 1)), (operands + 1,), np.int64
            )
            first = carray(pointer(lines[number, 5]), (operands + 1,), np.int64)
            moves = carray(pointer(lines[number, 6]), (operands + 1, rank), np.int64)
            for p in range(operands + 1):
                at = first[p]
                rest = tile
                for dim in range(rank - 1, -1, -1):
                    cell = min(rest % dims[dim, 0] * dims[dim, 1], dims[dim, 2])
                    rest //= dims[dim, 0]
                    at += cell * moves[p, dim]
                places[p] = at
            walk(lines[number, 0], operands, inner, lines[number, 3], layout, scratch)
