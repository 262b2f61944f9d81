"""Splines at points in a compiled loop, point by point."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cpu.blocks.resample_compiled import rounding
from dask_tapestry_kernels.cpu.jit.compile_service import compiled
from dask_tapestry_kernels.cpu.jit.memory_layout import address, storage
from dask_tapestry_kernels.parameters.splines import BORDERS

Block = np.ndarray[Any, Any]

SMALL: Final = 16_384  # terms; fewer are not worth a kernel that is not loaded
MOST_AXES: Final = 6
COLUMNS: Final = 3  # of the table of axes
ARITY: Final = 6

SOURCE: Final = """\
import numpy as np
from numba import carray, njit
from dask_tapestry_kernels.cpu.blocks.child.spline_cells import (
    rounded_signed, rounded_unsigned, weights{order},
)
from dask_tapestry_kernels.cpu.blocks.child.spline_ends import mapped_{mode}, place_{border}
from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import pointer


def points(x, coordinates, out, told, fill, count):
    t = carray(pointer(told), ({told},), np.int64)
    c = carray(pointer(coordinates), ({rank} * count,), np.float64)
    y = carray(pointer(out), (count,), np.{result})
    cval = carray(pointer(fill), (1,), np.float64)[0]
{axes}
    for i in range(count):
{mapped}
        if {outside}:
            v = cval
        else:
            v = 0.0
{starts}
            if {inside}:
                base = x + {base}
{near}
            else:
{far}
        y[i] = {rounded}


kernel = njit("void({arguments})", nogil=True, error_model="numpy")(points)
"""


def _indented(lines: Sequence[str], depth: int) -> str:
    return "\n".join("    " * depth + line for line in lines)


@lru_cache(maxsize=128)
def source(
    operand: np.dtype[Any], result: np.dtype[Any], rank: int, order: int, mode: str
) -> str | None:
    """The text of a module for cells of these dtypes; None where NumPy has to do."""
    for dtype in (operand, result):
        if not dtype.isnative or dtype.kind not in "biuf" or dtype.char in "eg":
            return None
    axis_range, last, half = range(rank), rank - 1, order // 2
    name, border = (one.replace("-", "_") for one in (mode, BORDERS.get(mode, mode)))
    axes, mapped, starts = [], [], []
    for a in axis_range:
        axes += [f"n{a} = t[{3 * a}]", f"b{a} = t[{3 * a + 1}]", f"h{a} = t[{3 * a + 2}]"]
        mapped += [f"c{a} = mapped_{name}(c[{a} * count + i], n{a})"]
        whole = f"c{a}" if order % 2 else f"c{a} + 0.5"
        starts += [f"s{a} = np.int64(np.floor({whole})) - {half}", f"w{a} = weights{order}(c{a})"]
    cell = f"np.float64(carray(pointer({{}}), (1,), np.{storage(operand)})[0])"
    near, far = [], []
    for a in range(last):
        pad = "    " * a
        near += [f"{pad}for k{a} in range({order + 1}):"]
        far += [
            f"{pad}for k{a} in range({order + 1}):",
            f"{pad}    p{a} = place_{border}(s{a} + k{a}, n{a})",
        ]
    pad = "    " * last
    lead = "".join(f" + k{a} * h{a}" for a in range(last))
    near.append(f"{pad}at = base{lead}")
    weights = "".join(f" * w{a}[k{a}]" for a in range(last)) if order else ""
    past_ends = [f"p{a} < 0" for a in axis_range]
    for k in range(order + 1):
        term = f"{weights} * w{last}[{k}]" if order else ""
        near.append(f"{pad}v += {cell.format(f'at + {k} * h{last}')}{term}")
        far.append(f"{pad}p{last} = place_{border}(s{last} + {k}, n{last})")
        where = " + ".join(["x", *(f"(p{a} - b{a}) * h{a}" for a in axis_range)])
        found = cell.format(where)
        if mode == "grid-constant":
            far.append(f"{pad}u = cval if {' or '.join(past_ends)} else {found}")
            found = "u"
        far.append(f"{pad}v += {found}{term}")
    return SOURCE.format(
        order=order,
        mode=name,
        border=border,
        told=COLUMNS * rank,
        rank=rank,
        result=storage(result),
        axes=_indented(axes, 1),
        mapped=_indented(mapped, 2),
        outside=" or ".join(f"c{a} != c{a}" for a in axis_range),
        starts=_indented(starts, 3),
        inside=" and ".join(f"s{a} >= 0 and s{a} + {order} < n{a}" for a in axis_range),
        base=" + ".join(f"(s{a} - b{a}) * h{a}" for a in axis_range),
        near=_indented(near, 4),
        far=_indented(far, 4),
        rounded=rounding(result),
        arguments=", ".join(["int64"] * ARITY),
    )


def interpolated(out: Block, x: Block, c: Block, spline: Any, origin: Sequence[int]) -> bool:
    """Fill a spline at points; False where NumPy has to do.

    Parameters
    ----------
    out
        A line.
    x, origin
        Coefficients, and where the first of them lies.
    c
        Coordinates (axis, point).
    """
    rank = x.ndim
    terms = out.size * (spline.order + 1) ** rank
    if terms < SMALL or rank > MOST_AXES or not x.flags.aligned:
        return False
    text = source(x.dtype, out.dtype, rank, spline.order, spline.mode)
    native = None if text is None else compiled(text, ARITY, "splines at points", terms)
    if native is None:
        return False
    told = []
    for n, begin, stride in zip(spline.lengths, origin, x.strides, strict=True):
        told += [n, begin, stride]
    table, fill = np.array(told, np.int64), np.array([spline.cval], np.float64)
    ways = [address(one) for one in (x, c, out, table, fill)]
    native(*ways, out.size)
    return True
