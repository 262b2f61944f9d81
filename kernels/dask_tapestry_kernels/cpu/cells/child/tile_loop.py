"""The loop over tiles: several compiled rows, one after the other, in each tile of a block.

What one row writes for a tile the next row reads while it is in cache. From tile to tile an
operand moves by some bytes for each cell; a buffer that all tiles share stays where it is.
"""

from __future__ import annotations

import numpy as np
from numba import carray, njit  # type: ignore[attr-defined]

from dask_tapestry_kernels.cpu.cells.child.strided_loop import OPTIONS, walk
from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import pointer

LINE = 7  # integers that describe a row: see `kernel`


@njit("void(int64, int64, int64, int64, int64)", **OPTIONS)
def kernel(rows: int, count: int, grid: int, rank: int, scratch: int) -> None:
    """Run the `count` rows described at `rows` in each tile of a grid of `rank` dimensions.

    `rows` is the address of `LINE` int64 for each row: address of the compiled row, number of
    operands, rank, strip, and address of the layout that `walk` takes; address of the places of
    operands and result in the first tile; address of the bytes that each of these moves with each
    cell along each dimension of the grid. `grid` is the address of three int64 for each dimension:
    number of tiles, cells from one tile to the next, and place of the last tile, which may overlap
    the one before. `scratch` is memory as `walk` takes it.
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
