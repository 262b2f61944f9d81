"""Histograms: how many cells, or what weight of them, each bin holds."""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Sequence, Sized
from functools import partial
from math import prod
from typing import cast

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.amounts import is_several, listed
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.dispatch import implements
from dask_tapestry.arrays.elementwise.where_and_clip import real
from dask_tapestry.arrays.statistics.bin_estimators import with_estimated_bins
from dask_tapestry.arrays.statistics.differences import diff
from dask_tapestry.arrays.statistics.histogram_edges import DOUBLE, WIDE, Range, bin_edges
from dask_tapestry.arrays.statistics.reductions import sum
from dask_tapestry.errors import DTypeError, ShapeError
from dask_tapestry.operators.cells.elementwise import astype, elementwise
from dask_tapestry.operators.cells.histogram_bin import histogram_bin
from dask_tapestry.operators.generators.full import full
from dask_tapestry.operators.reductions.bincount import bincount, count_by_bin
from dask_tapestry.teg import Tensor

__all__ = ["histogram", "histogram2d", "histogram_bin_edges", "histogramdd"]

Bins = ArrayLike | Sequence[ArrayLike]  # for each of several dimensions, or for all


@implements(np.histogram)
def histogram(
    a: ArrayLike,
    bins: ArrayLike = 10,
    range: Range = None,
    density: bool | None = None,
    weights: ArrayLike | None = None,
) -> tuple[Array, Array]:
    """Count the cells of `a` in each bin, as `numpy.histogram`.

    Complex cells are ordered by their real, then by their imaginary parts, and counted between the
    edges so ordered; NumPy discards imaginary parts on the way if bins have equal width.

    {Parameters}
        {a}
        bins: Number of bins of equal width, or ascending edges. A bin holds its lower edge, the
            last one its upper edge too. Or an estimator of the number: ``"auto"``, ``"doane"``,
            ``"fd"``, ``"rice"``, ``"scott"``, ``"sqrt"`` or ``"sturges"``; then a few statistics of
            the cells are computed when the number of bins is first asked for.
        range: Least and greatest edge; by default the least and greatest cell, so that the edges
            are known when they are computed.
        density: Divide by the number of cells and the widths of the bins.
        weights: Weights of the shape of `a`, added in float64 or complex128, instead of ones.
    {Returns}
        counts : Array: Shape (bins,): intp, the dtype of `weights`, or float64 for a density.
        edges : Array: Shape (bins + 1,); `bins` itself where this is an `Array` of edges.
    {Raises}
        DTypeError: If `bins` is neither a number nor edges, or an estimator is to take weights.
        ArgumentError: If there is no such estimator. ``"stone"`` is refused: it tries many
            histograms.
        ShapeError: If edges do not ascend, `range` is empty, or `weights` has another shape.
    {See Also} histogramdd, histogram_bin_edges, bincount, digitize
    {Examples}
    >>> counts, edges = dt.histogram(dt.arange(10), bins=[0, 2, 9])
    >>> counts.compute()
    array([2, 8])
    """
    cells = _countable(a)
    if isinstance(bins, str) and cells.size:
        both = partial(histogram, range=range, density=density)
        counts, edges = with_estimated_bins(
            cells, bins, range, weights, lambda x, n: both(x, n)[0], lambda x, n: both(x, n)[1]
        )
        return counts, edges
    edges, even = bin_edges(cells, bins, range, cells.dtype)
    counts = _in_dtype(_counts([cells], [(edges, even)], weights), weights)
    given = bins if isinstance(bins, Array) and bins.ndim else edges
    if not density:
        return counts, given
    widths = Array(astype(real(diff(edges)).node, DOUBLE))
    return counts / widths / sum(counts), given


@implements(np.histogram_bin_edges)
def histogram_bin_edges(
    a: ArrayLike, bins: ArrayLike = 10, range: Range = None, weights: ArrayLike | None = None
) -> Array:
    """Return the edges of the bins that `histogram` counts in, as `numpy.histogram_bin_edges`.

    {Parameters}
        {a}
        bins, range: As for `histogram`.
        weights: Accepted for NumPy's sake; only the shape is checked.
    {Returns} Array: Shape (bins + 1,).
    {Raises} DTypeError, ShapeError: As for `histogram`.
    {See Also} histogram
    {Examples}
    >>> dt.histogram_bin_edges(dt.asarray([1, 5]), bins=2).compute()
    array([1., 3., 5.])
    """
    cells = _countable(a)
    if weights is not None and asarray(weights).shape != cells.shape:
        raise ShapeError("weights should have the same shape as a.")
    if isinstance(bins, str) and cells.size:
        return with_estimated_bins(
            cells, bins, range, weights, lambda x, n: histogram_bin_edges(x, n, range)
        )[0]
    return bin_edges(cells, bins, range, cells.dtype)[0]


def _countable(a: ArrayLike) -> Array:
    """Cells to count; bools as zeros and ones."""
    x = asarray(a)
    return x if x.dtype.kind != "b" else Array(astype(x.node, np.dtype(np.uint8)))


def _counts(
    cells: Sequence[Array], edges_of: Sequence[tuple[Array, bool]], weights: ArrayLike | None
) -> Array:
    """Counts in each bin, or sums in double precision; it has a dimension for each coordinate."""
    if not cells:
        raise ShapeError("sample must have at least one coordinate")
    shape = tuple(builtins.max(edges.size - 1, 0) for edges, _ in edges_of)
    added = None if weights is None else asarray(weights)
    if added is not None and added.shape != cells[0].shape:
        raise ShapeError("weights should have the same shape as a.")
    if 0 in shape:
        return Array(full(shape, np.float64(0) if added is not None else np.intp(0)))
    loads = None if added is None else added.node
    if len(cells) == 1:
        (x,), ((edges, even),) = cells, edges_of
        return Array(count_by_bin(x.node, edges.node, loads, even=even))[1:-1]
    numbers = [
        histogram_bin(x.node, edges.node, even=even)
        for x, (edges, even) in zip(cells, edges_of, strict=True)
    ]
    sides = tuple(n + 2 for n in shape)  # at both ends, cells in no bin
    table = Array(bincount(_flat_number(numbers, sides), prod(sides), loads))
    return table.reshape(sides)[tuple(slice(1, -1) for _ in sides)]


def _in_dtype(table: Array, weights: ArrayLike | None) -> Array:
    """Sums in the dtype of the weights; integers wrap around as if they were added in it."""
    if weights is None:
        return table
    dtype = asarray(weights).dtype
    if dtype.kind in "iu":
        return Array(astype(astype(table.node, WIDE), dtype))
    return Array(astype(table.node, dtype))


def _flat_number(numbers: Sequence[Tensor], sides: Sequence[int]) -> Tensor:
    """One bin number for several, in C order of a table of shape `sides`."""
    flat = astype(numbers[0], WIDE)
    for number, side in zip(numbers[1:], sides[1:], strict=True):
        flat = elementwise("add", elementwise("multiply", flat, side), astype(number, WIDE))
    return flat


@implements(np.histogramdd)
def histogramdd(
    sample: ArrayLike | Sequence[ArrayLike],
    bins: Bins = 10,
    range: Sequence[Range] | None = None,
    density: bool | None = None,
    weights: ArrayLike | None = None,
) -> tuple[Array, list[Array]]:
    """Count points in each bin of several dimensions, as `numpy.histogramdd`.

    {Parameters}
        sample: Points of shape (points, dimensions), or a sequence with the coordinates of each
            dimension.
        bins: Number of bins of every dimension, or for each dimension a number or ascending edges.
        range: For each dimension the least and greatest edge, or None.
        density: Divide by the number of points and the volumes of the bins.
        weights: Real weights, one for each point, added instead of ones.
    {Returns}
        counts : Array: Float64, with the bins of a dimension along its axis.
        edges : list of Array: The edges of each dimension.
    {Raises}
        ShapeError: If `bins` or `range` does not have an entry for each dimension.
        DTypeError: If weights are complex.
    {See Also} histogram, histogram2d
    {Examples}
    >>> counts, edges = dt.histogramdd([dt.arange(4), dt.arange(4)], bins=2)
    >>> counts.compute()
    array([[2., 0.],
           [0., 2.]])
    """
    parts = _coordinates(sample)
    one = not isinstance(bins, Sized)
    each = [cast(ArrayLike, bins)] * len(parts) if one else list(cast(Iterable[ArrayLike], bins))
    if len(each) != len(parts):
        raise ShapeError("The dimension of bins must be equal to the dimension of the sample x.")
    spans = [None] * len(parts) if range is None else list(listed(range, "pairs"))
    if len(spans) != len(parts):
        raise ShapeError("range argument must have one entry per dimension")
    sides = zip(parts, each, spans, strict=True)
    found = [bin_edges(x, b, r, DOUBLE) for x, b, r in sides]
    edges = [edge for edge, _ in found]
    if weights is not None and asarray(weights).dtype.kind == "c":
        raise DTypeError("weights of points are real numbers")
    counts = Array(astype(_counts(parts, found, weights).node, DOUBLE))
    return (_density(counts, edges) if density else counts), edges


def _coordinates(sample: ArrayLike | Sequence[ArrayLike]) -> list[Array]:
    """The coordinates of points, an array for each dimension."""
    if isinstance(sample, list | tuple):
        return [_countable(x) for x in sample]
    points = asarray(sample)
    if points.ndim == 1:
        return [_countable(points)]
    if points.ndim != 2:
        raise ShapeError(f"points have shape (points, dimensions), not {points.shape}")
    return [_countable(points[:, dim]) for dim in np.arange(points.shape[1]).tolist()]


def _density(counts: Array, edges: Sequence[Array]) -> Array:
    """Counts divided by their sum and the volumes of the bins."""
    total = sum(counts)
    for axis, edge in enumerate(edges):
        sides = [1] * len(edges)
        sides[axis] = edge.size - 1
        counts = counts / diff(edge).reshape(tuple(sides))
    return counts / total


@implements(np.histogram2d)
def histogram2d(
    x: ArrayLike,
    y: ArrayLike,
    bins: Bins = 10,
    range: Sequence[Range] | None = None,
    density: bool | None = None,
    weights: ArrayLike | None = None,
) -> tuple[Array, Array, Array]:
    """Count points of a plane in each bin, as `numpy.histogram2d`.

    {Parameters}
        x, y: Coordinates of the points.
        bins: A number for both dimensions, edges for both, or one of these for each.
        range, density, weights: As for `histogramdd`.
    {Returns}
        counts : Array: Float64, shape (bins of `x`, bins of `y`).
        x_edges, y_edges : Array: The edges of both dimensions.
    {Raises} ShapeError: If `x` and `y` differ in shape.
    {See Also} histogramdd
    {Examples}
    >>> counts, *_ = dt.histogram2d(dt.arange(4), dt.arange(4), bins=2)
    >>> counts.compute()
    array([[2., 0.],
           [0., 2.]])
    """
    first, second = asarray(x), asarray(y)
    if first.shape != second.shape:
        raise ShapeError("x and y must have the same length.")
    shared = is_several(bins) and len(cast(Sized, bins)) not in (1, 2)
    each = [cast(ArrayLike, bins)] * 2 if shared else bins
    counts, edges = histogramdd([first, second], each, range, density, weights)
    return counts, edges[0], edges[1]
