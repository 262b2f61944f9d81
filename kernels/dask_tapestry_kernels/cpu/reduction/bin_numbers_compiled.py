"""The bins of cells in compiled loops: a cell's place on a grid, then a look at the edges near it.

On an even grid places are numbers of 32 bits with as many binary digits behind the point as fit,
and only cells within the rounding of an edge are compared with it, or all of a strip where there
are many, as of integers, in a fifth of the time that a branch for each takes; on the grid of
uneven edges the bin is searched for between the edges that the grid cell may hold. Places become
integers of 32 bits, as AVX2 has no instruction for vectors of 64.
"""

from __future__ import annotations

from functools import lru_cache
from textwrap import indent
from typing import Any, Final, NamedTuple

import numpy as np

from dask_tapestry_kernels.cpu.jit.compile_service import compiled
from dask_tapestry_kernels.cpu.jit.memory_layout import address, storage

Block = np.ndarray[Any, Any]

SMALL: Final = 16_384  # cells; fewer are not worth a kernel that is not loaded
EXACT: Final = 2**53  # up to which float64 holds every integer
BITS: Final = 12  # of a number that say how many edges a grid cell holds
ARITY: Final = 9
STRIP_ARITY: Final = 10
STRIP: Final = 256  # cells that are looked at together
FEW: Final = 16  # one cell in so many is worth a branch for each; else all of a strip are compared
AHEAD: Final = 4  # strips from one to that whose memory is asked for
LINE: Final = 64  # bytes

EVEN: Final = """\
import numpy as np
from numba import carray, njit
from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import fetch_line, pointer
from dask_tapestry_kernels.elementary.number_intrinsics import choose, float64_bits, fma


@njit("void({arguments})", nogil=True, error_model="numpy")
def numbered(cells, soon, numbers, edges, told, spans, scratch, width, count, grid):
    e = carray(pointer(edges), (count + 3,), np.float64)
    t = carray(pointer(told), (5,), np.float64)
    rows = carray(pointer(scratch), ({strip},), np.uint32)
    scale, shift, whole = t[0], t[1], t[2]
    digits, unsure = np.uint32(t[3]) & np.uint32(31), np.uint32(t[4])
    behind = np.uint32((np.uint32(1) << digits) - np.uint32(1))
    above = np.float64(count) + 1.5
    x = carray(pointer(cells), (width,), np.{cell})
    o = carray(pointer(numbers), (width,), np.{number})
    for line in range({strip} * {size} // {line}):
        fetch_line(soon + line * {line})
    for k in range(width):
        place = fma(np.float64(x[k]), scale, shift)
        place = choose(place < above, place, above)  # a NaN, too
        place = choose(place > 0.5, place, 0.5)
        rows[k] = np.uint32(float64_bits(place + whole))
    least = behind
    for k in range(width):
        row = rows[k]
        rest = np.uint32(row & behind)
        least = choose(rest < least, rest, least)
        o[k] = np.{number}(row >> np.uint32(digits))
    if least > unsure:
        return
    near = np.uint32(0)
    for k in range(width):
        near = np.uint32(near + np.uint32(np.uint32(rows[k] & behind) <= unsure))
    if near * {few} < width:
        for k in range(width):
            if np.uint32(rows[k] & behind) <= unsure:
{compared}
        return
    for k in range(width):
{compared_all}
"""

COMPARED: Final = """\
row, cell = np.uint64(rows[k] >> np.uint32(digits)), np.float64(x[k])
above_it = np.uint64(cell >= e[row + np.uint64(1)])
o[k] = np.{number}(row + above_it - np.uint64(cell < e[row]))
"""

UNEVEN: Final = """\
import numpy as np
from numba import carray, njit
from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import fetch_line, pointer


@njit("void({arguments})", nogil=True, error_model="numpy")
def numbered(cells, soon, numbers, edges, told, spans, scratch, width, count, grid):
    e = carray(pointer(edges), (count + 1,), np.float64)
    t = carray(pointer(told), (3,), np.float64)
    s = carray(pointer(spans), (grid + 2,), np.uint32)
    rows = carray(pointer(scratch), ({strip},), np.uint32)
    low, high, scale, last, most = t[0], t[1], t[2], e[count], np.float64(grid - 1)
    x = carray(pointer(cells), (width,), np.{cell})
    o = carray(pointer(numbers), (width,), np.{number})
    for line in range({strip} * {size} // {line}):
        fetch_line(soon + line * {line})
    for k in range(width):
        cell = np.float64(x[k])
        place = (cell - low) * scale
        place = place if place >= 0.0 else 0.0
        place = place if place <= most else most
        place = -1.0 if cell < low else place
        place = most + 1.0 if cell > high else place
        rows[k] = np.uint32(np.int32(place + 1.0))
    special = 0
    for k in range(width):
        cell = np.float64(x[k])
        special |= np.int64(not cell < last)
        span = s[rows[k]]
        a = span >> np.uint32({bits})
        if span & np.uint32({mask}):
            b = a + (span & np.uint32({mask}))
            while a < b:
                middle = (a + b) >> np.uint32(1)
                if e[middle] <= cell:
                    a = middle + np.uint32(1)
                else:
                    b = middle
        o[k] = np.{number}(a)
    if special:
        for k in range(width):
            cell = np.float64(x[k])
            at = np.int64(o[k])
            at = count if cell == last else at
            o[k] = np.{number}(at if cell == cell else count + 1)
"""

WHOLE: Final = """\


def whole(cells, numbers, edges, told, spans, scratch, n, count, grid):
    for lo in range(0, n, {strip}):
        x, o, width = cells + lo * {size}, numbers + lo * {number_size}, min({strip}, n - lo)
        soon = x + {ahead} * {strip} * {size}
        numbered(x, soon, o, edges, told, spans, scratch, width, count, grid)


kernel = njit("void({arguments})", nogil=True, error_model="numpy")(whole)
"""


@lru_cache(maxsize=64)
def strip_source(even: bool, cell: np.dtype[Any], number: np.dtype[Any]) -> str | None:
    """The text of a function that numbers the cells of a strip; None where NumPy has to do.

    It is called ``numbered`` and told where cells, those of a strip read soon, numbers, edges,
    places, spans and four bytes for each cell of a strip lie, and how many cells, bins, and cells
    of the grid there are.
    """
    if cell.kind not in "iuf" or cell.char in "eg" or not cell.isnative:
        return None
    names = {
        "cell": storage(cell),
        "number": storage(number),
        "strip": STRIP,
        "few": FEW,
        "line": LINE,
        "bits": BITS,
        "mask": 2**BITS - 1,
        "size": cell.itemsize,
        "arguments": ", ".join(["int64"] * STRIP_ARITY),
    }
    compared = COMPARED.format(**names).rstrip()
    names |= {"compared": indent(compared, 16 * " "), "compared_all": indent(compared, 8 * " ")}
    return (EVEN if even else UNEVEN).format(**names)


@lru_cache(maxsize=64)
def source(even: bool, cell: np.dtype[Any], number: np.dtype[Any]) -> str | None:
    """The text of a module that numbers cells by bin; None where NumPy has to do."""
    strip = strip_source(even, cell, number)
    if strip is None:
        return None
    arguments = ", ".join(["int64"] * ARITY)
    sizes = {"size": cell.itemsize, "number_size": number.itemsize, "strip": STRIP}
    sizes["ahead"] = AHEAD
    return strip + WHOLE.format(arguments=arguments, **sizes)


class Places(NamedTuple):
    """What compiled loops are told of bins.

    Attributes
    ----------
    even
        Whether edges are evenly spaced.
    edges
        In float64; of even ones also what lies below and above all.
    told
        For even edges, what `even_places` returns; else where the grid begins and ends, and how
        many of its cells there are to a unit.
    spans
        For uneven edges, those that each grid cell may hold, in 32 bits.
    bins, grid
        How many bins and, for uneven edges, cells of the grid there are.
    """

    even: bool
    edges: Block
    told: Block
    spans: Block
    bins: int
    grid: int

    @property
    def addresses(self) -> tuple[int, int, int]:
        """Where edges, what is told, and spans lie."""
        return address(self.edges), address(self.told), address(self.spans)


def even_places(edges: Block, scale: float, tolerance: float) -> Places | None:
    """Bins of even edges; None where these are not whole numbers of float64.

    Loops are told of places, of which bin 1 begins at 1: these are places in a unit, the place of
    0, what added to a place makes the lower half of its bits the place in 32 bits, digits of them
    behind the point, and the greatest rest behind it of a place that an edge may be beside. All
    places are moved up by half of that, so that rests of those below an edge are small, too.
    """
    if _is_inexact(edges):
        return None
    inner, count = edges.astype(np.float64), len(edges) - 1
    beyond = np.nextafter(inner[-1], np.inf)  # the last bin holds the last edge
    bounds = np.concatenate([[-np.inf], inner[:-1], [beyond, np.nan]])
    told = _places(float(edges[0]), count, scale, tolerance)
    return Places(True, bounds, told, np.zeros(1, np.uint32), count, 0)


def _places(low: float, count: int, scale: float, tolerance: float) -> Block:
    digits = 32 - (count + 2).bit_length()
    off = np.ceil(np.ldexp(tolerance, digits)) + 1  # of the last digit, which is rounded
    shift = 1.0 - low * scale + np.ldexp(off, -digits)
    return np.array([scale, shift, np.ldexp(1.5, 52 - digits), digits, 2 * off])


def uneven_places(edges: Block, grid: tuple[float, float, float], spans: Block) -> Places | None:
    """Bins of any ascending edges; None where compiled loops cannot be told of them.

    Parameters
    ----------
    grid
        Where the grid begins and ends, and how many of its cells there are to a unit.
    spans
        The edges between which a bin is searched for: for what lies below the grid, for each of its
        cells, and for what lies above.
    """
    inside = spans[:, 1] - spans[:, 0]
    if _is_inexact(edges) or len(edges) >= 2 ** (32 - BITS) or inside.max() >= 2**BITS:
        return None
    held = (spans[:, 0] << BITS | inside).astype(np.uint32)
    count, cells = len(edges) - 1, len(spans) - 2
    return Places(False, edges.astype(np.float64), np.array(grid), held, count, cells)


def _is_inexact(edges: Block) -> bool:
    """Whether float64 may round the edges."""
    return edges.dtype.kind in "iu" and bool((np.abs(edges) >= EXACT).any())


def write_numbers(result: Block, x: Block, places: Places) -> bool:
    """Number the cells by bins; False where that takes NumPy."""
    text = source(places.even, x.dtype, result.dtype)
    native = None if text is None else compiled(text, ARITY, "bins", x.size)
    if native is None:
        return False
    cells, scratch = np.ascontiguousarray(x), np.empty(STRIP, np.uint32)
    target = result if result.flags.c_contiguous else np.empty(result.shape, result.dtype)
    at = address(cells), address(target), *places.addresses, address(scratch)
    native(*at, x.size, places.bins, places.grid)
    if target is not result:
        result[...] = target
    return True
