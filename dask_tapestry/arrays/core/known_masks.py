"""Masks in memory: what they select is known at once."""

from __future__ import annotations

from collections.abc import Collection
from math import prod
from typing import Any

import numpy as np

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.known_values import where_known
from dask_tapestry.arrays.tuning import LINE_CELLS
from dask_tapestry.operators.reductions.count_nonzero import span_of
from dask_tapestry.operators.sorting.compress import compress as compress_tensor
from dask_tapestry.operators.views.reshape import reshape
from dask_tapestry.teg import Tensor
from dask_tapestry_kernels.devices import kernels_of


def masked_by(x: Tensor, dim: int, mask: np.ndarray[Any, Any]) -> Array:
    """Like `masked`, for a mask in memory, which is counted and copied at once."""
    lines, flat = lines_of(x, dim, mask.ndim), mask.flatten()
    span = span_of(flat.size, line_cells(lines, dim))
    counts = kernels_of("cpu")["count"](None, flat, span=span)
    return Array(compress_tensor(lines, asarray(flat).node, dim, counts, span, flat))


def lines_of(x: Tensor, dim: int, rank: int) -> Tensor:
    """`x` with `rank` dimensions from `dim` on as one."""
    shape = x.type.shape
    return reshape(x, (*shape[:dim], prod(shape[dim : dim + rank]), *shape[dim + rank :]))


def line_cells(lines: Tensor, dim: int) -> int:
    """Cells of a slice at one place of a dimension."""
    return prod(extent for axis, extent in enumerate(lines.type.shape) if axis != dim)


def lines_where(x: Array, axes: Collection[int], where: Any) -> Array | None:
    """The lines of `x` that ``where=`` selects along one of the axes that are folded.

    None where it selects cells otherwise, or is not known: then all cells are looked at. Of stored
    data, chunks of which no line is selected are not read.
    """
    mask = where_known(where)
    if not isinstance(mask, np.ndarray) or mask.dtype != bool or mask.ndim > x.ndim:
        return None
    sides = (1,) * (x.ndim - mask.ndim) + mask.shape
    along = [axis for axis, side in enumerate(sides) if side > 1]
    if len(along) != 1 or along[0] not in axes or sides[along[0]] != x.shape[along[0]]:
        return None
    if prod(x.shape[along[0] + 1 :]) < LINE_CELLS:
        return None
    return masked_by(x.node, along[0], mask.reshape(-1))
