"""The nearest site of each cell, one axis after the other.

Of each cell it is known which site is nearest along the axes that are done, or that there is none.
Along a further axis those of a line are its sites, each with a cost, its distance along the others:
the nearest one of a cell is where the lower envelope of their distances lies.

Sources: C. R. Maurer, R. Qi and V. Raghavan, "A linear time algorithm for computing exact Euclidean
distance transforms of binary images in arbitrary dimensions", 2003; A. Meijster, J. B. T. M.
Roerdink and W. H. Hesselink, "A general algorithm for computing distance transforms in linear
time", 2000.
"""

from __future__ import annotations

from math import prod
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cpu.blocks import nearest_sites_compiled
from dask_tapestry_kernels.cpu.blocks.site_envelopes import chessboard, euclidean, taxicab
from dask_tapestry_kernels.kernel_table import Kernel
from dask_tapestry_kernels.parameters.metrics import METRICS, Metric
from dask_tapestry_kernels.parameters.scratch import SITES
from dask_tapestry_kernels.stopping import stop_if_asked

Block = np.ndarray[Any, Any]


def nearest(costs: Block, step: float, metric: Metric, last: bool) -> Block:
    """The nearest site of each cell of lines, (lines, cells) of int64; -1 where a line has none.

    Parameters
    ----------
    costs
        Distance of each site along other axes, squared of Euclidean ones; -1 of cells without one.
    step
        From a cell to the next.
    last
        Whether of sites that are equally near the last one is taken, rather than the first.
    """
    if metric == "taxicab" or (step and not (costs > 0).any()):
        return taxicab(costs, last)
    return euclidean(costs, step, last) if metric == "euclidean" else chessboard(costs)


def nearest_sites(
    out: Block | None,
    sites: Block,
    *,
    axis: int,
    done: tuple[int, ...],
    extents: tuple[int, ...],
    steps: tuple[float, ...],
    step: float,
    begins: tuple[int, ...],
    metric: Metric,
    last: bool,
    dtype: np.dtype[Any],
    keep: tuple[Any, ...],
) -> Block:
    """The nearest site of each cell along one more axis, of which the block has all cells.

    Parameters
    ----------
    sites
        Coordinates along the axes that are done, as one number in C order; -1 of none. If none are
        done 0, or -1.
    done, extents, steps
        These axes in order, all before or all after `axis`; their cells, and the distance from one
        to the next.
    begins
        The first cell of the block in the array.
    """
    fits = out is not None and out.shape == sites.shape
    coordinates = out if out is not None and fits else np.empty(sites.shape, dtype)
    lines, result = np.moveaxis(sites, axis, -1), np.moveaxis(coordinates, axis, -1)
    *sides, width = lines.shape
    line_dims = [dim for dim in range(sites.ndim) if dim != axis]
    many = max(1, SITES // max(1, width))
    for start in range(0, prod(sides), many):
        stop_if_asked()
        numbers = np.arange(start, min(start + many, prod(sides)))
        index = np.unravel_index(numbers, sides) if sides else ()
        own = np.ascontiguousarray(lines[index].reshape(len(numbers), width), np.int64)
        lies = {dim: line + begins[dim] for dim, line in zip(line_dims, index, strict=True)}
        at, before = [lies[dim] for dim in done], bool(done) and axis < done[0]
        told = (extents, (*steps, step), METRICS.index(metric), last, before)
        how = (prod(extents), step, metric, last, before)
        if not nearest_sites_compiled.advance(own, at, *told):
            own = _advanced(own, _distances_along_done(own, at, extents, steps, metric), *how)
        result[index] = own if sides else own[0]
    return coordinates[(*keep, ...)]


def _advanced(
    sites: Block, apart: Block, cells: int, step: float, metric: Metric, last: bool, before: bool
) -> Block:
    """The nearest site of each cell of lines, of those that are so far apart along other axes."""
    found, width = nearest(apart, step, metric, last), sites.shape[1]
    chosen = np.take_along_axis(sites, np.maximum(found, 0), 1)
    number: Block = found * cells + chosen if before else chosen * width + found
    number[found < 0] = -1
    return number


def _distances_along_done(
    sites: Block,
    at: list[Block],
    extents: tuple[int, ...],
    steps: tuple[float, ...],
    metric: Metric,
) -> Block:
    """How far sites are along the axes that are done, of lines that lie `at` these; -1 of none."""
    coordinates, rest = [], sites
    for extent in extents[:0:-1]:
        rest, coordinate = np.divmod(rest, extent)
        coordinates.append(coordinate)
    coordinates.append(rest)
    total = np.zeros(sites.shape)
    for coordinate, line, step in zip(coordinates[::-1], at, steps, strict=False):
        away = (coordinate - line[:, None]) * step
        if metric == "euclidean":
            total += away * away
        elif metric == "taxicab":
            total += np.abs(away)
        else:
            np.maximum(total, np.abs(away), out=total)
    total[sites < 0] = -1
    return total


KERNELS: Final[dict[str, Kernel]] = {"nearestsites": nearest_sites}
