"""Splines at points anywhere: those of an affine map of a grid, or whose coordinates are given.

Each cell of the result is the sum of ``cell * weight * weight...`` over the cells near its point,
in C order, of doubles: compiled or not, and however blocks are cut, it has the same bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cpu.blocks import points_compiled
from dask_tapestry_kernels.cpu.blocks.spline_taps import taps
from dask_tapestry_kernels.cpu.blocks.window_tiles import tile_sides
from dask_tapestry_kernels.floating_point import listening
from dask_tapestry_kernels.kernel_table import Kernel
from dask_tapestry_kernels.parameters.casts import rounded
from dask_tapestry_kernels.parameters.splines import Spline
from dask_tapestry_kernels.stopping import stop_if_asked

Block = np.ndarray[Any, Any]
TILE_CELLS: Final = 2**14


def points(
    out: Block | None,
    x: Block,
    *coordinates: Block,
    spline: Spline,
    origin: Sequence[int],
    dtype: np.dtype[Any],
) -> Block:
    """The spline at points.

    Parameters
    ----------
    x
        Its coefficients, of which the first is at `origin`.
    coordinates
        For each axis, of the shape of the result.
    """
    if out is None:
        out = np.empty(coordinates[0].shape, dtype)
    with np.errstate(all="ignore"), listening(frozenset()):
        for here in _tiles(out.shape):
            stop_if_asked()
            part = out[here]
            c = np.empty((len(coordinates), part.size))
            for axis, one in enumerate(coordinates):
                c[axis] = one[here].reshape(-1)
            c += float(spline.pad)
            part[...] = _values_at(x, c, spline, origin, dtype).reshape(part.shape)
    return out


def affine_points(
    out: Block | None,
    x: Block,
    *,
    matrix: tuple[tuple[float, ...], ...],
    offset: tuple[float, ...],
    numbers: tuple[range, ...],
    axes: tuple[int, ...],
    outs: tuple[int, ...],
    shape: tuple[int, ...],
    spline: Spline,
    origin: Sequence[int],
    dtype: np.dtype[Any],
) -> Block:
    """The spline at the points ``matrix @ number + offset``, for each of the other coordinates.

    Parameters
    ----------
    numbers
        Coordinates of the whole result, along the axes `outs` of the block.
    axes
        Of the operand, which the points have coordinates along; the others are the block's own.
    shape
        Of the block.
    """
    if out is None:
        out = np.empty(shape, dtype)
    if not out.size:
        return out
    rank = len(outs)
    result = np.moveaxis(out, outs, range(-rank, 0))
    cells = np.moveaxis(x, axes, range(-len(axes), 0))
    lines = [np.array(n, np.float64) for n in numbers]
    with np.errstate(all="ignore"), listening(frozenset()):
        for tile in _tiles(result.shape[result.ndim - rank :]):
            stop_if_asked()
            sides = tuple(len(line[part]) for line, part in zip(lines, tile, strict=True))
            c = np.empty((len(axes), *sides))
            for axis, (row, begin) in enumerate(zip(matrix, offset, strict=True)):
                total: Any = begin
                for dim, (line, part, factor) in enumerate(zip(lines, tile, row, strict=True)):
                    way = line[part] * factor
                    total = total + way.reshape([-1 if d == dim else 1 for d in range(rank)])
                c[axis] = total
            c += float(spline.pad)
            flat = c.reshape(len(axes), -1)
            for batch in np.ndindex(*result.shape[: result.ndim - rank]):
                values = _values_at(cells[batch], flat, spline, origin, dtype)
                result[(*batch, *tile)] = values.reshape(sides)
    return out


def _tiles(shape: Sequence[int]) -> list[tuple[slice, ...]]:
    if 0 in shape:
        return []
    sides = tile_sides(shape, (1,) * len(shape), TILE_CELLS)
    starts = [range(0, n, max(1, side)) for n, side in zip(shape, sides, strict=True)]
    return [
        tuple(slice(a, a + side) for a, side in zip(corner, sides, strict=True))
        for corner in product(*starts)
    ]


def _values_at(
    x: Block, c: Block, spline: Spline, origin: Sequence[int], dtype: np.dtype[Any]
) -> Block:
    """The spline at points of coordinates (axis, point)."""
    out = np.empty(c.shape[1], dtype)
    if x.size and points_compiled.interpolated(out, x, c, spline, origin):
        return out
    tables = [
        taps(one, n, spline.order, spline.mode) for one, n in zip(c, spline.lengths, strict=True)
    ]
    indices = [
        np.where((t.places < 0) | t.outside, 0, t.places - begin)
        for t, begin in zip(tables, origin, strict=True)
    ]
    if not x.size:  # all that is read is the constant
        x, indices = np.full((1,) * x.ndim, spline.cval), [p * 0 for p in indices]
    total: Any = 0.0
    for which in product(range(spline.order + 1), repeat=len(tables)):
        term = x[tuple(p[k] for p, k in zip(indices, which, strict=True))].astype(np.float64)
        for table, k in zip(tables, which, strict=True):
            np.copyto(term, spline.cval, where=table.places[k] < 0)
        if spline.order:
            for table, k in zip(tables, which, strict=True):
                term *= table.weights[k]
        total = total + term
    for table in tables:
        np.copyto(total, spline.cval, where=table.outside)
    return rounded(total, dtype)


KERNELS: Final[dict[str, Kernel]] = {"points": points, "affinepoints": affine_points}
