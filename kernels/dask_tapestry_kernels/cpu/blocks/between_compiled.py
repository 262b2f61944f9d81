"""The cells of a line between two borders, picked in one compiled pass.

A strip of cells is counted by vector instructions; cell by cell go only strips that have cells
between the borders.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final, NamedTuple

import numpy as np

from dask_tapestry_kernels.cpu.jit.compile_service import compiled
from dask_tapestry_kernels.cpu.jit.memory_layout import address, storage

Block = np.ndarray[Any, Any]

SMALL: Final = 16_384  # cells; fewer are not worth a kernel that is not loaded
STRIP: Final = 2**16  # cells that NumPy looks at together, while there is no kernel
ARITY: Final = 5

CELLS: Final = """\
import numpy as np
from numba import carray, njit
from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import pointer


def between(cells, borders, inside, found, n):
    b = carray(pointer(borders), (2,), np.{cell})
    f = carray(pointer(found), (4,), np.int64)
    o = carray(pointer(inside), (n,), np.{cell})
    low, high = b[0], b[1]
    below, first, last = np.int64(0), np.int64(0), np.int64(0)
    at = np.uint64(0)
    for start in range(0, n, 512):
        many = min(512, n - start)
        x = carray(pointer(cells + start * {size}), (many,), np.{cell})
        under, on, over, among = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
        for k in range(many):
            under += np.int64(x[k] < low)
            on += np.int64(x[k] == low)
            over += np.int64(x[k] == high)
            among += np.int64(x[k] > low) & np.int64(x[k] < high)
        below += under
        first += on
        last += over
        if among == many:
            for k in range(many):
                o[at + np.uint64(k)] = x[k]
            at += np.uint64(many)
        elif among > 0:
            for k in range(many):
                cell = x[k]
                o[at] = cell
                at += np.uint64(np.int64(cell > low) & np.int64(cell < high))
    f[0], f[1], f[2], f[3] = below, first, np.int64(at), last


kernel = njit("void({arguments})", nogil=True, error_model="numpy")(between)
"""

PLACES: Final = """\
import numpy as np
from numba import carray, njit
from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import pointer


def places(cells, borders, chosen, found, n):
    b = carray(pointer(borders), (2,), np.{cell})
    f = carray(pointer(found), (2,), np.int64)
    o = carray(pointer(chosen), (n,), np.int64)
    low, high = b[0], b[1]
    unknown = np.int64({unknown})
    below = np.int64(0)
    at = np.uint64(0)
    for start in range(0, n, 512):
        many = min(512, n - start)
        x = carray(pointer(cells + start * {size}), (many,), np.{cell})
        under, among = np.int64(0), np.int64(0)
        for k in range(many):
            under += np.int64(x[k] < low)
            among += np.int64(x[k] <= high) | (unknown & np.int64(x[k] != x[k]))
        below += under
        if among - under > 0:
            for k in range(many):
                cell = x[k]
                o[at] = start + k
                known = np.int64(cell >= low) & np.int64(cell <= high)
                at += np.uint64(known | (unknown & np.int64(cell != cell)))
    f[0], f[1] = below, np.int64(at)


kernel = njit("void({arguments})", nogil=True, error_model="numpy")(places)
"""


class BorderedCells(NamedTuple):
    """What a line has below, on and between two borders.

    Attributes
    ----------
    below
        Number of the cells before the first border.
    first, last
        Numbers of the cells that equal the borders; `last` is 0 where these are equal.
    inside
        The cells between, as they come.
    """

    below: int
    first: int
    inside: Block
    last: int


@lru_cache(maxsize=16)
def source(text: str, cell: np.dtype[Any]) -> str:
    """The text of a module that picks the cells of a line between two borders, or their places."""
    unknown = "not high < np.inf" if cell.kind == "f" else "0"
    arguments = ", ".join(["int64"] * ARITY)
    told = {"cell": storage(cell), "size": cell.itemsize, "unknown": unknown}
    return text.format(**told, arguments=arguments)


def between(line: Block, low: Any, high: Any) -> BorderedCells:
    """The numbers and cells of a line that `low` and `high` divide; NaN is nowhere.

    `line` lies in one piece; room for all its cells is asked for, which takes no memory where
    nothing is written.
    """
    borders = np.array([low, high], line.dtype)
    native = None
    if line.size >= SMALL:
        native = compiled(source(CELLS, line.dtype), ARITY, "picking cells", line.size)
    if native is None:
        return _between_by_numpy(line, borders)
    inside, found = np.empty(line.size, line.dtype), np.empty(4, np.int64)
    native(*map(address, (line, borders, inside, found)), line.size)
    below, first, count, last = found.tolist()
    return BorderedCells(below, first, inside[:count], last if low != high else 0)


def _between_by_numpy(line: Block, borders: Block) -> BorderedCells:
    """The result by NumPy instead of compiled code, a strip at a time."""
    low, high = borders
    below = first = last = 0
    parts = []
    for start in range(0, line.size, STRIP):
        strip = line[start : start + STRIP]
        below += int(np.count_nonzero(strip < low))
        first += int(np.count_nonzero(strip == low))
        last += int(np.count_nonzero(strip == high))
        parts.append(strip[(strip > low) & (strip < high)])
    inside = np.concatenate(parts) if parts else line[:0]
    return BorderedCells(below, first, inside, last if low != high else 0)


def places_between(line: Block, low: Any, high: Any) -> tuple[int, Block]:
    """The number of cells of a line below `low`, and the places of those from `low` to `high`.

    NaN is with the latter where `high` is infinite.
    """
    borders = np.array([low, high], line.dtype)
    native = None
    if line.size >= SMALL:
        native = compiled(source(PLACES, line.dtype), ARITY, "picking places", line.size)
    if native is None:
        return _places(line, borders)
    chosen, found = np.empty(line.size, np.int64), np.empty(2, np.int64)
    native(*map(address, (line, borders, chosen, found)), line.size)
    below, count = found.tolist()
    return below, chosen[:count]


def _places(line: Block, borders: Block) -> tuple[int, Block]:
    """The result by NumPy instead of compiled code, a strip at a time."""
    low, high = borders
    unknown = line.dtype.kind == "f" and not high < np.inf
    below = 0
    parts = [np.empty(0, np.int64)]
    for start in range(0, line.size, STRIP):
        strip = line[start : start + STRIP]
        below += int(np.count_nonzero(strip < low))
        among = (strip >= low) & (strip <= high)
        if unknown:
            among |= np.isnan(strip)
        parts.append(np.flatnonzero(among) + start)
    return below, np.concatenate(parts)
