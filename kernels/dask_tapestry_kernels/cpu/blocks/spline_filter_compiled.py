"""Spline filters in a compiled loop: some lanes side by side, so that none waits for its sum."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cpu.blocks.sparse_matmul_compiled import byte_table
from dask_tapestry_kernels.cpu.jit.compile_service import compiled, required
from dask_tapestry_kernels.cpu.jit.memory_layout import address, storage
from dask_tapestry_kernels.stopping import stop_if_asked

Block = np.ndarray[Any, Any]

SMALL: Final = 16_384  # cells; fewer are not worth a kernel that is not loaded
WIDTH: Final = 16  # lanes side by side
LONG: Final = 2**15  # cells of lanes that are filtered one by one, in less memory
FEW: Final = 16  # lanes, of which NumPy filters each cell by itself, a microsecond each
CALL: Final = 2**23  # cells between two looks at whether the block is still wanted
ARITY: Final = 10

SOURCE: Final = """\
import numpy as np
from numba import carray, njit
from dask_tapestry_kernels.cpu.blocks.child.spline_lanes import first_{ends}, last_{ends}
from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import pointer


def lanes(x, out, bases, outs, scratch, told, groups, n, step, out_step):
    s = carray(pointer(scratch), ((n + 1) * {width},), np.float64)
    t = carray(pointer(told), ({told},), np.float64)
    for g in range(groups):
        b = carray(pointer(bases + g * {width} * 8), ({width},), np.int64)
        o = carray(pointer(outs + g * {width} * 8), ({width},), np.int64)
        for i in range(n):
            for j in range({width}):
                cell = carray(pointer(x + b[j] + i * step), (1,), np.{cell})[0]
                s[i * {width} + j] = np.float64(cell) * t[0]
        for p in range({poles}):
            z = t[1 + 2 * p]
            first_{ends}(s, n, {width}, z, t[2 + 2 * p])
            for i in range({width}, n * {width}):
                s[i] += z * s[i - {width}]
            last_{ends}(s, n, {width}, z)
            for i in range((n - 1) * {width} - 1, -1, -1):
                s[i] = z * (s[i + {width}] - s[i])
        for i in range(n):
            for j in range({width}):
                v = s[i * {width} + j]
                carray(pointer(out + o[j] + i * out_step), (1,), np.{result})[0] = {cast}


kernel = njit("void({arguments})", nogil=True, error_model="numpy")(lanes)
"""


@lru_cache(maxsize=64)
def source(
    operand: np.dtype[Any], result: np.dtype[Any], ends: str, poles: int, width: int
) -> str | None:
    """The text of a module for cells of these dtypes; None where NumPy has to do."""
    for dtype in (operand, result):
        if not dtype.isnative or dtype.kind not in "biuf" or dtype.char in "eg":
            return None
    return SOURCE.format(
        ends=ends,
        width=width,
        told=1 + 2 * poles,
        poles=poles,
        cell=storage(operand),
        result=storage(result),
        cast=cast(result),
        arguments=", ".join(["int64"] * ARITY),
    )


def cast(dtype: np.dtype[Any]) -> str:
    """The double v as `from_double` of `window_casts` converts it.

    Examples
    --------
    >>> cast(np.dtype("i2"))
    'np.int16(np.int64(v))'
    """
    name = storage(dtype)
    if dtype.kind == "f":
        return f"np.{name}(v)"
    if dtype.kind == "b":
        return "np.uint8(1) if np.int64(v) != 0 else np.uint8(0)"
    if dtype == np.uint64:
        return "np.uint64(v) if v >= 9223372036854775808.0 else np.uint64(np.int64(v))"
    return f"np.{name}(np.int64(v))"


def filtered(
    out: Block, x: Block, axis: int, poles: tuple[float, ...], gain: float, ends: str
) -> bool:
    """Fill the coefficients of lanes; False where NumPy has to do."""
    length = x.shape[axis]
    if x.size < SMALL or not (out.flags.aligned and x.flags.aligned):
        return False
    count = x.size // length
    width = 1 if count == 1 or length > LONG else WIDTH
    text = source(x.dtype, out.dtype, ends, len(poles), width)
    if text is None:
        return False
    ask = f"filters of splines ({ends})"
    native = compiled(text, ARITY, ask, x.size)
    if native is None:
        if count >= FEW:
            return False
        native = required(text, ARITY, ask)
    shape = tuple(1 if dim == axis else n for dim, n in enumerate(x.shape))
    bases, outs = (_filled(byte_table(one.strides, shape), width) for one in (x, out))
    far = [z ** (length if ends == "reflect" else length - 1) for z in poles]
    pole_values = np.array([gain, *(one for pair in zip(poles, far, strict=True) for one in pair)])
    scratch = np.empty((length + 1) * width)
    lanes_a_call = max(1, CALL // (length * width)) * width
    for begin in range(0, len(bases), lanes_a_call):
        stop_if_asked()
        part = slice(begin, begin + lanes_a_call)
        addresses = [
            address(one) for one in (x, out, bases[part], outs[part], scratch, pole_values)
        ]
        native(*addresses, len(bases[part]) // width, length, x.strides[axis], out.strides[axis])
    return True


def _filled(table: Block, width: int) -> Block:
    """A table with its last line repeated to whole groups of lanes."""
    return np.pad(table, (0, -len(table) % width), mode="edge")
