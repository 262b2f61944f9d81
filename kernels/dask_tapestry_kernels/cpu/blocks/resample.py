"""Resampling by splines on the coordinates of a grid: along each axis cells and weights.

Each cell of the result is the sum of ``cell * weight * weight...`` over the cells near it, in C
order, of doubles: compiled or not, and however blocks are cut, it has the same bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cpu.blocks import resample_compiled
from dask_tapestry_kernels.cpu.blocks.spline_taps import Taps, taps
from dask_tapestry_kernels.cpu.blocks.window_tiles import tile_sides
from dask_tapestry_kernels.floating_point import listening
from dask_tapestry_kernels.kernel_table import Kernel
from dask_tapestry_kernels.parameters.casts import rounded
from dask_tapestry_kernels.parameters.splines import SplineAxis
from dask_tapestry_kernels.stopping import stop_if_asked

Block = np.ndarray[Any, Any]
TILE_CELLS: Final = 2**15


def resample(
    out: Block | None,
    x: Block,
    *,
    lines: Sequence[SplineAxis],
    box: tuple[tuple[int, ...], tuple[int, ...]],
    origin: Sequence[int],
    order: int,
    mode: str,
    cval: float,
    dtype: np.dtype[Any],
) -> Block:
    """The spline with coefficients `x` at the cells of a box of the result.

    Parameters
    ----------
    lines
        Where these lie, along each axis.
    box
        First and end of them along each axis.
    origin
        Where along each axis the first of the coefficients lies.
    order, mode, cval
        Of the spline, what lies beyond the ends, and the constant there.
    """
    if out is None:
        out = np.empty([b - a for a, b in zip(*box, strict=True)], dtype)
    if not out.size:
        return out
    with np.errstate(all="ignore"), listening(frozenset()):
        tables = []
        for line, first, end, begin in zip(lines, *box, origin, strict=True):
            found = taps(line.at(np.arange(first, end)), line.length, order, mode)
            places = np.where(found.places < 0, -1, found.places - begin)
            tables.append(Taps(np.where(found.outside, 0, places), found.weights, found.outside))
        if any(table.outside.all() for table in tables):
            out[...] = rounded(np.array(cval), dtype)
        elif not x.size:  # all that is read is the constant
            one = np.full((1,) * x.ndim, cval)
            _by_tiles(out, one, [t._replace(places=t.places * 0) for t in tables], cval)
        elif not resample_compiled.resampled(out, x, tables, cval):
            _by_tiles(out, x, tables, cval)
    return out


def _by_tiles(out: Block, x: Block, tables: Sequence[Taps], cval: float) -> None:
    sides = tile_sides(out.shape, (1,) * out.ndim, TILE_CELLS)
    starts = [range(0, n, max(1, side)) for n, side in zip(out.shape, sides, strict=True)]
    for corner in product(*starts):
        stop_if_asked()
        here = tuple(slice(a, a + side) for a, side in zip(corner, sides, strict=True))
        parts = [
            Taps(t.places[:, part], t.weights[:, part], t.outside[part])
            for t, part in zip(tables, here, strict=True)
        ]
        out[here] = rounded(_sum(x, parts, cval), out.dtype)


def _sum(x: Block, tables: Sequence[Taps], cval: float) -> Block:
    rank = len(tables)

    def along(line: Block, axis: int) -> Block:
        return line.reshape([-1 if dim == axis else 1 for dim in range(rank)])

    total: Any = 0.0
    for which in product(*[range(len(t.places)) for t in tables]):
        places = [along(t.places[k], a) for a, (t, k) in enumerate(zip(tables, which, strict=True))]
        term = x[tuple(places)].astype(np.float64)
        for axis, place in enumerate(places):
            if place.min() < 0:
                np.copyto(term, cval, where=along(tables[axis].places[which[axis]] < 0, axis))
        if len(tables[0].places) > 1:
            for axis, k in enumerate(which):
                term *= along(tables[axis].weights[k], axis)
        total = total + term
    for axis, table in enumerate(tables):
        if table.outside.any():
            np.copyto(total, cval, where=along(table.outside, axis))
    found: Block = total
    return found


KERNELS: Final[dict[str, Kernel]] = {"resample": resample}
