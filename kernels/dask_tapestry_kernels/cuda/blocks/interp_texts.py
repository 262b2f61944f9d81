"""The text of a CUDA kernel that interpolates between points, a thread a cell.

Its steps are those of `numpy.interp`, which tries a line from its other end where it yields NaN,
and divides once for both parts of complex values.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cuda.cells.formula_texts import place_text
from dask_tapestry_kernels.cuda.jit.program import CudaProgram, memory_type, pointer_type
from dask_tapestry_kernels.cuda.kernel_texts import (
    coordinates,
    grid_stride,
    indented,
    module_text,
)

REAL: Final = np.dtype(np.float64)
FOUND: Final = """\
low, high = np.int64(0), count
while low < high:
    number = (low + high) >> 1
    if x < points[number]:
        high = number
    else:
        low = number + 1
j = low - 1
if x != x and count > 1:
    made = {unknown}
elif j < 0:
    made = {left}
elif j == count - 1:
    made = {right} if x > points[j] else values[j]
elif points[j] == x:
    made = values[j]
else:
"""
PART: Final = """\
slope = {slope}
{made} = slope * (x - points[j]) + low_end{part}
if {made} != {made}:
    {made} = slope * (x - points[j + 1]) + high_end{part}
    if {made} != {made} and low_end{part} == high_end{part}:
        {made} = low_end{part}
"""


@lru_cache(maxsize=64)
def interp_program(
    dtype: np.dtype[Any], ends: tuple[bool, bool], periodic: bool, rank: int
) -> CudaProgram:
    """The program for cells of float64 that are addressed by so many dimensions.

    Parameters
    ----------
    dtype
        Of the values: float64 or complex128.
    ends
        Whether there are values below and above all points; else those of the outermost are taken.
    periodic
        Whether cells are reduced to a period, before they are looked up.
    """
    axes, is_complex = range(rank), dtype.kind == "c"
    arguments = [("n", "int64"), *[(f"n{d}", "int64") for d in axes[1:]]]
    arguments += [(f"{side}{d}", "int64") for side in "st" for d in axes] + [("count", "int64")]
    outside = [name for name, given in zip(("left", "right"), ends, strict=True) if given]
    arguments += [(name, memory_type(dtype)) for name in outside]
    arguments += [("period", "float64")] if periodic else []
    arguments += [("cells", pointer_type(REAL)), ("points", pointer_type(REAL))]
    arguments += [("values", pointer_type(dtype)), ("out", pointer_type(dtype))]
    search_text = FOUND.format(
        unknown="complex(x, 0.0)" if is_complex else "x",
        left="left" if ends[0] else "values[0]",
        right="right" if ends[1] else "values[count - 1]",
    )
    body = [
        *coordinates("i", [f"c{d}" for d in axes], [f"n{d}" for d in axes], "int64"),
        f"x = cells[{place_text('s', rank)}]",
        *(["x = ufunc_loops.remainder(x, period)"] if periodic else []),
        *search_text.splitlines(),
        *indented(_line(is_complex)),
        f"out[{place_text('t', rank)}] = made",
    ]
    return CudaProgram(module_text(arguments, grid_stride(body)), f"interpolation of {dtype}")


def _line(is_complex: bool) -> list[str]:
    """Statements for a cell between two points."""
    lines = ["low_end, high_end = values[j], values[j + 1]", "width = points[j + 1] - points[j]"]
    if not is_complex:
        part = PART.format(slope="(high_end - low_end) / width", made="made", part="")
        return [*lines, *part.splitlines()]
    lines.append("share = 1.0 / width")
    for name in ("real", "imag"):
        slope = f"(high_end.{name} - low_end.{name}) * share"
        lines += PART.format(slope=slope, made=name, part=f".{name}").splitlines()
    return [*lines, "made = complex(real, imag)"]
