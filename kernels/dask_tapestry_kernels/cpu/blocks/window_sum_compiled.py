"""Weighted sums of windows in a compiled loop: a strip of neighbours at once, in registers.

Columns of `CHUNK` cells go through all rows before the next, so that rows that windows share are
still in cache.
"""

from __future__ import annotations

from functools import lru_cache
from math import prod
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cpu.blocks.sparse_matmul_compiled import byte_table
from dask_tapestry_kernels.cpu.jit.compile_service import compiled
from dask_tapestry_kernels.cpu.jit.memory_layout import address, storage
from dask_tapestry_kernels.stopping import stop_if_asked

Block = np.ndarray[Any, Any]
Place = tuple[int, ...]

SMALL: Final = 16_384  # terms; fewer are not worth a kernel that is not loaded
STRIP: Final = 32
CHUNK: Final = 512
ARITY: Final = 13
CALL: Final = 2**26  # terms between two looks at whether the block is still wanted

SOURCE: Final = """\
import numpy as np
from numba import carray, njit
from dask_tapestry_kernels.cpu.blocks.child.window_strip import {strip}
from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import pointer


def total(x, out, bases, outs, first, second, weights, singles, terms, scratch, spare, rows, lanes):
    b = carray(pointer(bases), (rows,), np.int64)
    t = carray(pointer(outs), (rows,), np.int64)
    s = carray(pointer(scratch), ({width},), np.float64)
    divisor = carray(pointer(spare), (1,), np.float64)[0]
    for start in range(0, lanes, {chunk}):
        end = min(start + {chunk}, lanes)
        for r in range(rows):
            for lane in range(start, end, {width}):
                at = min(lane, lanes - {width})
                here = x + b[r] + at * {size}
                there = out + t[r] + at * {out_size}
                {sum}


kernel = njit("void({arguments})", nogil=True, error_model="numpy")(total)
"""


@lru_cache(maxsize=64)
def source(operand: np.dtype[Any], result: np.dtype[Any], sign: int, divided: bool) -> str | None:
    """The text of a module for cells of these dtypes; None where NumPy has to do."""
    for dtype in (operand, result):
        if not dtype.isnative or dtype.kind not in "biuf" or dtype.char in "eg":
            return None
    strip = "strip_plus" if sign > 0 else "strip_minus"
    call = f"{strip}(here, first, second, weights, singles, terms, {{}}, np.{storage(operand)}(0))"
    lines = [call.format("there")]
    if result != np.float64 or divided:
        name = storage(result)
        lines = [call.format("scratch")]
        lines += [f"y = carray(pointer(there), ({STRIP},), np.{name})"]
        lines += [f"for i in range({STRIP}):", "    s[i] /= divisor"] * divided
        lines += [f"for i in range({STRIP}):", f"    y[i] = {_cast(result, name)}"]
    return SOURCE.format(
        strip=strip,
        width=STRIP,
        chunk=CHUNK,
        size=operand.itemsize,
        out_size=result.itemsize,
        sum=("\n" + " " * 16).join(lines),
        arguments=", ".join(["int64"] * ARITY),
    )


def _cast(dtype: np.dtype[Any], name: str) -> str:
    """A double as `from_double` of `window_casts` converts it."""
    if dtype.kind == "f":
        return f"np.{name}(s[i])"
    if dtype.kind == "b":
        return "np.uint8(1) if np.int64(s[i]) != 0 else np.uint8(0)"
    if dtype == np.uint64:
        return "np.uint64(s[i]) if s[i] >= 9223372036854775808.0 else np.uint64(np.int64(s[i]))"
    return f"np.{name}(np.int64(s[i]))"


def summed(
    out: Block,
    x: Block,
    steps: tuple[int, ...],
    singles: tuple[tuple[Place, float], ...],
    pairs: tuple[tuple[Place, Place, float], ...],
    sign: int,
    divisor: float,
) -> bool:
    """Fill the sums of windows; False where NumPy has to do."""
    terms = len(singles) + len(pairs)
    if out.size * terms < SMALL or not (out.flags.aligned and x.flags.aligned):
        return False
    axis = _run(out, x, steps)
    lanes = prod(out.shape[axis:])
    text = source(x.dtype, out.dtype, sign, divisor != 1) if lanes >= STRIP else None
    native = None if text is None else compiled(text, ARITY, "sums of windows", out.size * terms)
    if native is None:
        return False
    first = [_place(p, x) for p in [*(p for p, _ in singles), *(p for p, _, _ in pairs)]]
    second = [0] * len(singles) + [_place(p, x) for _, p, _ in pairs]
    tables = [np.array(table, np.int64) for table in (first, second)]
    weights = np.array([*(w for _, w in singles), *(w for _, _, w in pairs)])
    shape = out.shape[:axis]
    strides = [s * step for s, step in zip(x.strides, steps, strict=True)]
    bases, outs = (byte_table(table, shape) for table in (strides, out.strides))
    scratch, spare = np.empty(STRIP), np.array([divisor])
    addresses = [address(table) for table in (*tables, weights)]
    own = address(scratch), address(spare)
    many = max(1, CALL // (terms * lanes))
    for begin in range(0, len(bases), many):
        stop_if_asked()
        part = slice(begin, begin + many)
        ways = [address(x), address(out), address(bases[part]), address(outs[part])]
        native(*ways, *addresses, len(singles), terms, *own, len(bases[part]), lanes)
    return True


def _place(place: Place, x: Block) -> int:
    """Bytes from the first cell of a window to one of its places."""
    return sum(e * s for e, s in zip(place, x.strides, strict=True))


def _run(out: Block, x: Block, steps: tuple[int, ...]) -> int:
    """The first axis of those, up to the last, along which neighbours lie side by side in both."""
    axis, run = out.ndim, 1
    while axis:
        n, one, other = out.shape[axis - 1], x.strides[axis - 1], out.strides[axis - 1]
        near = one == run * x.itemsize and steps[axis - 1] == 1
        if n != 1 and not (near and other == run * out.itemsize):
            break
        axis, run = axis - 1, run * n
    return axis
