"""The strided loop: a compiled row run over blocks of any rank and any strides.

A row takes n cells of each operand that lie side by side. The loop cuts a block into boxes of its
two last dimensions, packs operands whose cells are apart into small buffers, and unpacks the result
where its cells are apart. An operand that is the same in the next box is packed once. The loop
knows bytes only, so one compiled function serves all expressions.

Boxes go along the rows, as memory comes by itself then: 3000 x 3000 float64, each row backwards,
plus another array takes 22 ms so and 48 down the rows. Where an operand is transposed they go down,
so that it is read from the cache lines that the rows before have brought. They begin where these do
if the operand lets them: of 4096 x 4096 float64 and its transpose, whose lines share few places of
a cache, the sum takes 23 ms instead of 40.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numba import carray, njit  # type: ignore[attr-defined]

from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import call_row, fetch_line, pointer
from dask_tapestry_kernels.cpu.jit.child.strided_copy import copy_plane

Table = np.ndarray[Any, Any]
LINE: Final = 64  # bytes of memory that come together
TALL: Final = 8  # rows at least of a box whose columns lie side by side in some operand
FEW: Final = 8  # lines of memory with a turned operand's columns
LONG: Final = 64  # cells of a row that are worth a call
OPTIONS: Any = {"nogil": True, "error_model": "numpy"}


@njit(nogil=True, error_model="numpy")
def _is_turned(layout: Table, p: int, rank: int) -> bool:
    """Whether the columns of an operand lie closer than its rows do."""
    size, down, along = layout[p, 0], layout[p, rank - 1], layout[p, rank]
    turned: bool = size > 0 and along != size and 0 < abs(down) < abs(along)
    return turned


@njit(nogil=True, error_model="numpy")
def _ask_for(at: int, h: int, m: int, size: int, along: int) -> None:
    """Ask for the lines of the next box of a turned operand, which lie far apart.

    Of boxes of `TALL` rows processors ask ahead themselves: x + x.T of 6000 x 6000 float64 takes 34
    ms so and 42 where it is asked as well, of 8000 x 8000 uint8 in taller boxes 17 and 14.
    """
    for cell in range(m):
        for byte in range(0, h * size, LINE):
            fetch_line(at + cell * along + byte + LINE - 1)


@njit(nogil=True, error_model="numpy")
def _box(layout: Table, count: int, rank: int, strip: int) -> tuple[int, int]:
    """Rows and cells of a box of `strip` cells at most: low, but tall where an operand is turned.

    Of an operand whose columns lie side by side a low box takes a cell of each line of memory.
    """
    rows, cells = layout[count + 1, rank - 1], layout[count + 1, rank]
    tall = 1
    for p in range(count + 1):
        if _is_turned(layout, p, rank):
            tall = max(tall, min(rows, max(TALL, LINE // layout[p, 0])))
    n = min(cells, max(1, strip // tall))
    height = max(1, strip // n)
    return max(height - height % tall, 1), n


@njit(nogil=True, error_model="numpy")
def _before_lines(bases: Table, layout: Table, rank: int, j: int, height: int) -> int:
    """Rows before the columns of a turned operand come to a line of memory.

    0 where none does, or a box has columns of several lines, most of which it reads whole anyway;
    and where rows are few, as the first ones are copied cell by cell.
    """
    rows = layout[len(bases), rank - 1]
    for p in range(len(bases)):
        size, down, along = layout[p, 0], layout[p, rank - 1], layout[p, rank]
        lines = down == size and along % LINE == 0 and height * size <= LINE < rows * size // FEW
        if lines and _is_turned(layout, p, rank):
            before: int = -(bases[p] + j * along) % LINE // size
            return before
    return 0


@njit(nogil=True, error_model="numpy")
def _goes_down(layout: Table, count: int, rank: int) -> bool:
    """Whether boxes go down the rows first, for an operand that is turned."""
    for p in range(count + 1):
        if _is_turned(layout, p, rank):
            return True
    return False


@njit(nogil=True, error_model="numpy")
def _in_place(layout: Table, p: int, rank: int, h: int, m: int, by_rows: bool) -> bool:
    """Whether the row reads an operand, or writes the result, where it lies."""
    size, down, along = layout[p, 0], layout[p, rank - 1], layout[p, rank]
    here: bool = along == size and (by_rows or h == 1 or down == m * size)
    return here


@njit(nogil=True, error_model="numpy")
def _by_rows(layout: Table, count: int, rank: int, h: int, m: int) -> bool:
    """Whether each row of a box is computed by itself: then straight operands are not packed."""
    if h == 1:
        return False
    for p in range(count + 1):
        size, down, along = layout[p, 0], layout[p, rank - 1], layout[p, rank]
        if along == size and down != m * size and (m >= LONG or size == 0):
            return True
    return False


@njit(nogil=True, error_model="numpy")
def _plane(
    row: int, bases: Table, layout: Table, buffers: Table, table: Table, rank: int, strip: int
) -> None:
    """Run the row over the plane of the two last dimensions whose operands begin at `bases`."""
    count = len(bases) - 1
    rows, cells = layout[count + 1, rank - 1], layout[count + 1, rank]
    height, n = _box(layout, count, rank, strip)
    band = rows if _goes_down(layout, count, rank) else height
    for top in range(0, rows, band):
        bottom = min(rows, top + band)
        for j in range(0, cells, n):
            m = min(n, cells - j)
            packed = 0  # rows of the box before
            i, h = top, 0
            first = _before_lines(bases, layout, rank, j, height)
            while i + h < bottom:
                i += h
                h = min(first if i == 0 and 0 < first < height else height, bottom - i)
                by_rows = _by_rows(layout, count, rank, h, m)
                for p in range(count + 1):
                    size, down, along = layout[p, 0], layout[p, rank - 1], layout[p, rank]
                    at = bases[p] + i * down + j * along
                    table[p] = at
                    if _in_place(layout, p, rank, h, m, by_rows):
                        continue
                    table[p] = buffers[p]
                    turned = _is_turned(layout, p, rank)
                    if p < count and not (down == 0 and h <= packed):
                        if turned and down == size and h > TALL:
                            _ask_for(at + h * size, min(h, rows - i - h), m, size, along)
                        copy_plane(at, buffers[p], h, m, size, (down, along, m * size, size))
                packed = h
                for _ in range(h if by_rows else 1):
                    call_row(row, (m if by_rows else h * m, table.ctypes.data, table[count]))
                    for p in range(count + 1):
                        straight = _in_place(layout, p, rank, h, m, by_rows)
                        table[p] += layout[p, rank - 1] if straight else m * layout[p, 0]
                size, down, along = layout[count, 0], layout[count, rank - 1], layout[count, rank]
                if not _in_place(layout, count, rank, h, m, by_rows):
                    at = bases[count] + i * down + j * along
                    copy_plane(buffers[count], at, h, m, size, (m * size, size, down, along))


@njit(**OPTIONS)
def walk(row: int, count: int, rank: int, strip: int, address: int, scratch: int) -> None:
    """Run the compiled row at `row` on `count` operands and a result of `rank` >= 2 dimensions.

    At `address` lie lines of ``rank + 1`` integers: for each operand and the result the bytes of a
    cell and its strides; then 0 and the extents, none of them 0; then the addresses of operands and
    result. `scratch` has room for three integers and a strip of 16-byte cells for each of these.
    """
    layout = carray(pointer(address), (count + 2, rank + 1), np.int64)
    first = carray(pointer(address + 8 * (count + 2) * (rank + 1)), (count + 1,), np.int64)
    bases = carray(pointer(scratch), (count + 1,), np.int64)
    table = carray(pointer(scratch + 8 * (count + 1)), (count + 1,), np.int64)
    buffers = carray(pointer(scratch + 16 * (count + 1)), (count + 1,), np.int64)
    for p in range(count + 1):
        buffers[p] = scratch + 24 * (count + 1) + 16 * strip * p
    planes = 1
    for dim in range(1, rank - 1):
        planes *= layout[count + 1, dim]
    for number in range(planes):
        for p in range(count + 1):
            bases[p] = first[p]
        rest = number
        for dim in range(rank - 2, 0, -1):
            place = rest % layout[count + 1, dim]
            rest //= layout[count + 1, dim]
            for p in range(count + 1):
                bases[p] += place * layout[p, dim]
        _plane(row, bases, layout, buffers, table, rank, strip)


@njit("void(int64, int64, int64, int64, int64, int64)", **OPTIONS)
def kernel(row: int, count: int, rank: int, strip: int, address: int, scratch: int) -> None:
    """Run one row over one block: `walk`."""
    walk(row, count, rank, strip, address, scratch)
