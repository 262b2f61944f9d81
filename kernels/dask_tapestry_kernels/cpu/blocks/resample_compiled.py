"""Splines at the coordinates of a grid in a compiled loop: a row of the result at a time."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cpu.blocks.spline_taps import Taps
from dask_tapestry_kernels.cpu.jit.compile_service import compiled
from dask_tapestry_kernels.cpu.jit.memory_layout import address, storage
from dask_tapestry_kernels.stopping import stop_if_asked

Block = np.ndarray[Any, Any]

SMALL: Final = 16_384  # terms; fewer are not worth a kernel that is not loaded
CHUNK: Final = 1024  # cells of a row whose sums stay in cache
CALL: Final = 2**25  # terms between two looks at whether the block is still wanted
MOST_AXES: Final = 6
COLUMNS: Final = 5  # of the table of axes
ARITY: Final = 5

SOURCE: Final = """\
import numpy as np
from numba import carray, njit
from dask_tapestry_kernels.cpu.blocks.child.spline_cells import rounded_signed, rounded_unsigned
from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import pointer


def resample(x, out, told, scratch, fill):
    t = carray(pointer(told), ({told},), np.int64)
    s = carray(pointer(scratch), ({chunk},), np.float64)
    cval = carray(pointer(fill), (1,), np.float64)[0]
{tables}
{loops}


kernel = njit("void({arguments})", nogil=True, error_model="numpy")(resample)
"""


@lru_cache(maxsize=128)
def source(
    operand: np.dtype[Any], result: np.dtype[Any], rank: int, order: int, constant: bool
) -> str | None:
    """The text of a module for cells of these dtypes; None where NumPy has to do.

    Parameters
    ----------
    constant
        Whether some of the cells that are read are the constant beyond the ends.
    """
    for dtype in (operand, result):
        if not dtype.isnative or dtype.kind not in "biuf" or dtype.char in "eg":
            return None
    taps = order + 1
    tables, loops, pad = [], [], "    "
    for axis in range(rank):
        at = axis * COLUMNS
        tables += [
            f"n{axis} = t[{at}]",
            f"f{axis} = carray(pointer(t[{at + 1}]), ({taps} * n{axis},), np.int64)",
            f"w{axis} = carray(pointer(t[{at + 2}]), ({taps} * n{axis},), np.float64)",
            f"z{axis} = carray(pointer(t[{at + 3}]), (n{axis},), np.uint8)",
            f"o{axis} = t[{at + 4}]",
        ]
    last = rank - 1
    depth = 1
    for axis in range(last):
        loops.append(pad * depth + f"for i{axis} in range(n{axis}):")
        depth += 1
    skipped = " or ".join(f"z{axis}[i{axis}]" for axis in range(last)) or "False"
    there = " + ".join(["out", *(f"i{axis} * o{axis}" for axis in range(last))])
    loops += [
        pad * depth + f"there = {there}",
        pad * depth + f"skipped = {skipped}",
        pad * depth + f"for lo in range(0, n{last}, {CHUNK}):",
        pad * (depth + 1) + f"width = min({CHUNK}, n{last} - lo)",
        pad * (depth + 1) + "for i in range(width):",
        pad * (depth + 2) + "s[i] = cval if skipped else 0.0",
        pad * (depth + 1) + "if not skipped:",
    ]
    inner = depth + 2
    for axis in range(last):
        loops += [
            pad * inner + f"for k{axis} in range({taps}):",
            pad * (inner + 1) + f"p{axis} = f{axis}[k{axis} * n{axis} + i{axis}]",
            pad * (inner + 1) + f"v{axis} = w{axis}[k{axis} * n{axis} + i{axis}]",
        ]
        inner += 1
    base = " + ".join(["x", *(f"p{axis}" for axis in range(last))])
    weights = "".join(f" * v{axis}" for axis in range(last)) if order else ""
    beyond = " or ".join(f"p{axis} < 0" for axis in range(last)) or "False"
    loops += [pad * inner + f"base = {base}"]
    loops += [pad * inner + f"beyond = {beyond}"] * constant
    loops += [pad * inner + "for i in range(width):", pad * (inner + 1) + "v = s[i]"]
    for k in range(taps):
        index = f"lo + i + {k} * n{last}"
        cell = (
            f"np.float64(carray(pointer(base + f{last}[{index}]), (1,), np.{storage(operand)})[0])"
        )
        term = f"{weights} * w{last}[{index}]" if order else ""
        if constant:
            loops.append(
                pad * (inner + 1) + f"c = cval if beyond or f{last}[{index}] < 0 else {cell}"
            )
            cell = "c"
        loops.append(pad * (inner + 1) + f"v += {cell}{term}")
    loops += [
        pad * (inner + 1) + "s[i] = v",
        pad * (depth + 1) + "for i in range(width):",
        pad * (depth + 2) + f"v = cval if z{last}[lo + i] else s[i]",
        pad * (depth + 2)
        + f"carray(pointer(there + (lo + i) * o{last}), (1,), np.{storage(result)})[0] = "
        + rounding(result),
    ]
    return SOURCE.format(
        told=COLUMNS * rank,
        chunk=CHUNK,
        tables="\n".join(pad + line for line in tables),
        loops="\n".join(loops),
        arguments=", ".join(["int64"] * ARITY),
    )


def rounding(dtype: np.dtype[Any]) -> str:
    """The double v as `rounded` of `parameters.casts` converts it.

    Examples
    --------
    >>> rounding(np.dtype("f4"))
    'np.float32(v)'
    """
    name = storage(dtype)
    if dtype.kind == "f":
        return f"np.{name}(v)"
    if dtype.kind == "b":
        return "np.uint8(1) if abs(v) >= 1.0 or v != v else np.uint8(0)"
    info = np.iinfo(dtype)
    if dtype.kind == "u":
        return f"np.{name}(rounded_unsigned(v, {float(info.max)!r}, {info.max}))"
    return f"np.{name}(rounded_signed(v, {float(info.min)!r}, {float(info.max)!r}, {info.max}))"


def resampled(out: Block, x: Block, tables: Sequence[Taps], cval: float) -> bool:
    """Fill the splines at a grid; False where NumPy has to do."""
    rank, order = out.ndim, len(tables[0].places) - 1
    terms = out.size * (order + 1) ** rank
    if terms < SMALL or rank > MOST_AXES or not (out.flags.aligned and x.flags.aligned):
        return False
    constant = any(bool((table.places < 0).any()) for table in tables)
    text = source(x.dtype, out.dtype, rank, order, constant)
    native = None if text is None else compiled(text, ARITY, "splines at grids", terms)
    if native is None:
        return False
    if any(stride < 0 for stride in x.strides):
        x = np.ascontiguousarray(x)
    offsets = [
        np.where(t.places < 0, -(2**62), t.places * stride)
        for t, stride in zip(tables, x.strides, strict=True)
    ]
    scratch, fill = np.empty(CHUNK), np.array([cval], np.float64)
    rows = max(1, CALL * len(out) // terms)
    for begin in range(0, len(out), rows):
        stop_if_asked()
        values_of_axes, kept = [], []
        for axis, (table, places) in enumerate(zip(tables, offsets, strict=True)):
            part = slice(begin, begin + rows) if axis == 0 else slice(None)
            own = [places[:, part], table.weights[:, part], table.outside[part].astype(np.uint8)]
            own = [np.ascontiguousarray(one) for one in own]
            kept.append(own)
            values_of_axes += [own[0].shape[1], *map(address, own), out.strides[axis]]
        table_of_axes = np.array(values_of_axes, np.int64)
        native(address(x), address(out[begin:]), *map(address, (table_of_axes, scratch, fill)))
    return True
