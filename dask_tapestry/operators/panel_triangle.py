"""Equations with triangles larger than a worker, in panels of columns."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from dask_tapestry.operators.elementwise import astype
from dask_tapestry.operators.panels import (
    columns_of,
    less_product,
    panels_of,
    rows_of,
    stacked,
)
from dask_tapestry.operators.whole_matrix import call_on_matrices
from dask_tapestry.teg import Tensor
from dask_tapestry_kernels.cpu.blocks.triangles import solve_triangle


def solve_triangle_by_panels(a: Tensor, b: Tensor, width: int, lower: bool) -> Tensor:
    """The x with ``a @ x = b`` for a triangle `a`, of which the other half is not looked at."""
    right = astype(b, np.result_type(a.type.dtype, b.type.dtype))
    runs, made = panels_of(a.type.shape[0], width), list[Tensor]()
    for run in runs if lower else reversed(runs):
        start, stop = run.start, run.stop
        panel = columns_of(a, start, stop)
        if lower:
            own, rest = rows_of(right, None, stop - start), rows_of(right, stop - start, None)
            beside = rows_of(panel, stop, None)
        else:
            own, rest = rows_of(right, start, None), rows_of(right, None, start)
            beside = rows_of(panel, None, start)
        made.append(_solved(rows_of(panel, start, stop), own, lower))
        right = less_product(rest, beside, made[-1]) if rest.type.size else rest
    return stacked(made if lower else made[::-1])


def _solved(block: Tensor, right: Tensor, lower: bool) -> Tensor:
    call: Any = partial(solve_triangle, lower=lower)
    parts, outputs = [(block, "mm"), (right, "mk")], {"mk": right.type.dtype}
    (made,) = call_on_matrices(call, parts, outputs, ("mmk", 1.0), cut="k")
    return made
