"""Cells picked by masks and places in compiled loops; whatever their dtype, as words of bytes."""

from __future__ import annotations

from functools import lru_cache
from math import prod
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cpu.jit.compile_service import compiled
from dask_tapestry_kernels.cpu.jit.memory_layout import address

Block = np.ndarray[Any, Any]

SMALL: Final = 16_384  # cells; fewer are not worth a kernel that is not loaded
WORDS: Final = {1: "uint8", 2: "uint16", 4: "uint32", 8: "uint64", 16: "complex128"}

# Rows before a row is copied, its lines of memory are asked for. Of 128 MB from memory, rows of 32
# bytes take .64 of the time, single cells .78, rows of 256 and 512 bytes .9; rows of 8 KiB, which
# come by themselves, 1.14.
AHEAD: Final = 16
ASKED_BYTES: Final = 1_024
LINE: Final = 64  # bytes of memory that come together
# Cells of a mask that are one word: where all are false none is looked at. Of 9 M float64, 2 % are
# picked in 8 ms of a thread so, in 12 cell by cell, and in 12 where none is asked for ahead
FEW: Final = 8
SOON: Final = 256  # cells ahead, those that a mask wants are asked for

PICK: Final = """\
import numpy as np
from numba import carray, njit
from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import fetch_line, pointer, read_cell
from dask_tapestry_kernels.elementary.number_intrinsics import choose


def pick(cells, mask, out, n, skip, length):
    x = carray(pointer(cells), (n,), np.{word})
    m = carray(pointer(mask), (n,), np.uint8)
    o = carray(pointer(out), (length,), np.{word})
    left, first = skip, 0
    while left > 0 and first < n:
        here = 0
        if first + 256 <= n:
            for k in range(256):
                here += np.int64(m[first + k] != 0)
            if here <= left:
                left -= here
                first += 256
                continue
        left -= np.int64(m[first] != 0)
        first += 1
    at = np.uint64(0)
    k = np.uint64(first)
    few, soon = np.uint64({few}), np.uint64({soon})
    while at + few <= np.uint64(length) and k + few <= np.uint64(n):
        later = choose(k + soon + few <= np.uint64(n), k + soon, k)
        wanted = read_cell(mask + np.int64(later), 0, np.uint64(0)) != np.uint64(0)
        fetch_line(cells + {size} * np.int64(choose(wanted, later, k)))
        if read_cell(mask + np.int64(k), 0, np.uint64(0)):
            for j in range({few}):
                o[at] = x[k + np.uint64(j)]
                at += np.uint64(m[k + np.uint64(j)] != 0)
        k += few
    while at < np.uint64(length) and k < np.uint64(n):
        o[at] = x[k]
        at += np.uint64(m[k] != 0)
        k += np.uint64(1)


kernel = njit("void({arguments})", nogil=True, error_model="numpy")(pick)
"""

TAKE: Final = """\
import numpy as np
from numba import carray, njit
from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import fetch_line, pointer


def take(cells, places, out, found, count, row, lines, line_cells, row_cells, extent, origin):
    p = carray(pointer(places), (count,), np.int64)
    wrong = 0
    for k in range(count):
        wrong |= np.int64(p[k] >= extent) | np.int64(p[k] < -extent)
    carray(pointer(found), (1,), np.int64)[0] = wrong
    if wrong:
        return
    for line in range(lines):
        base = cells + line * line_cells
        o = carray(pointer(out + line * count * row * {size}), (count * row,), np.{word})
        if row == 1:
            for k in range(count):
                if k + {ahead} < count:
                    later = p[k + {ahead}]
                    later = base + (later + (extent if later < 0 else 0) - origin) * row_cells
                    fetch_line(later)
                at = p[k] + (extent if p[k] < 0 else 0) - origin
                o[k] = carray(pointer(base + at * row_cells), (1,), np.{word})[0]
        else:
            near = row * {size} <= {asked_bytes}
            for k in range(count):
                if near and k + {ahead} < count:
                    later = p[k + {ahead}]
                    later = base + (later + (extent if later < 0 else 0) - origin) * row_cells
                    for byte in range(0, row * {size}, {line}):
                        fetch_line(later + byte)
                    fetch_line(later + row * {size} - 1)
                at = p[k] + (extent if p[k] < 0 else 0) - origin
                x = carray(pointer(base + at * row_cells), (row,), np.{word})
                y = carray(
                    pointer(out + (line * count + k) * row * {size}), (row,), np.{word}
                )
                for j in range(row):
                    y[j] = x[j]


kernel = njit("void({arguments})", nogil=True, error_model="numpy")(take)
"""
BODIES: Final = {"pick": (PICK, 6), "take": (TAKE, 11)}


@lru_cache(maxsize=16)
def source(body: str, size: int) -> str:
    """The text of a module that moves words of `size` bytes."""
    text, count = BODIES[body]
    names = {"ahead": AHEAD, "asked_bytes": ASKED_BYTES, "line": LINE, "few": FEW, "soon": SOON}
    arguments = ", ".join(["int64"] * count)
    return text.format(word=WORDS[size], size=size, arguments=arguments, **names)


def pick(out: Block | None, block: Block, mask: Block, skip: int, length: int) -> Block | None:
    """The cells of a line where `mask` is true, `length` after the first `skip`; or None."""
    if block.size < SMALL or block.dtype.itemsize not in WORDS or block.dtype.hasobject:
        return None
    native = compiled(source("pick", block.dtype.itemsize), BODIES["pick"][1], "a mask", block.size)
    if native is None:
        return None
    fits = out is not None and out.flags.c_contiguous
    result = out if out is not None and fits else np.empty(length, block.dtype)
    cells, chosen = np.ascontiguousarray(block), np.ascontiguousarray(mask)
    native(*map(address, (cells, chosen, result)), len(cells), skip, length)
    return result


def take(
    out: Block | None, block: Block, places: Block, axis: int, extent: int, origin: int
) -> Block | None:
    """Slices of `block`, which begins at `origin` of `extent`, at `places` along `axis`.

    None where no kernel serves, and where a place is out of bounds.
    """
    row = prod(block.shape[axis + 1 :])
    size = block.dtype.itemsize
    cells_taken = prod(block.shape[:axis]) * places.size * row
    if cells_taken < SMALL or block.dtype.hasobject or (row == 1 and size not in WORDS):
        return None
    if places.dtype == np.uint64 or not block.flags.c_contiguous:
        return None
    word = size if row == 1 else next((w for w in (8, 4, 2) if size * row % w == 0), 1)
    native = compiled(source("take", word), BODIES["take"][1], "taking", cells_taken)
    if native is None:
        return None
    shape = (*block.shape[:axis], *places.shape, *block.shape[axis + 1 :])
    fits = out is not None and out.flags.c_contiguous
    result = out if out is not None and fits else np.empty(shape, block.dtype)
    chosen, found = np.ascontiguousarray(places, np.int64), np.zeros(1, np.int64)
    step = size * row
    told = [chosen.size, step // word, prod(block.shape[:axis]), block.shape[axis] * step, step]
    native(*map(address, (block, chosen, result, found)), *told, extent, origin)
    return None if found[0] else result
