"""Histograms: counts of cells, or sums of their weights, by bin."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from math import prod
from operator import index
from typing import Any

import numpy as np

from dask_tapestry.array.core.array import Array
from dask_tapestry.array.core.convert import asarray
from dask_tapestry.array.core.dispatch import implements
from dask_tapestry.array.elementwise.choosing import real
from dask_tapestry.array.statistics.differences import diff
from dask_tapestry.array.statistics.reductions import max, min, sum
from dask_tapestry.errors import DTypeError, ShapeError
from dask_tapestry.operators.arange import arange
from dask_tapestry.operators.bincount import bincount
from dask_tapestry.operators.elementwise import astype, elementwise, scalar_of
from dask_tapestry.operators.full import full
from dask_tapestry.operators.histogram_bin import histogram_bin
from dask_tapestry.operators.where import where as choose
from dask_tapestry.teg import Tensor

__all__ = ["histogram", "histogram2d", "histogram_bin_edges", "histogramdd"]

DOUBLE = np.dtype(np.float64)
WIDE = np.dtype(np.int64)


@implements(np.histogram)
def histogram(
    a: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None
) -> tuple[Array, Array]:
    """Count the cells of `a` by bin, as `numpy.histogram`; return counts and edges.

    Complex cells are ordered by their real, then by their imaginary parts. Each is counted between
    its edges, where NumPy, for bins of equal width, discards imaginary parts on the way.

    Parameters
    ----------
    bins
        The number of bins of equal width, or ascending edges. A bin holds its lower edge; the last
        one holds its upper edge too.
    range
        Least and greatest edge; by default the least and the greatest cell, in which case the
        edges are known when they are computed.
    density
        Divide by the number of cells and the widths of the bins.
    weights
        Of the cells, added instead of one. Sums are taken in float64 or complex128.

    Raises
    ------
    DTypeError
        If `bins` is no number and no edges. Estimators such as ``"auto"`` are not supported: how
        many bins they choose depends on the data.
    ShapeError
        If edges do not ascend, the range is none, or the weights have another shape.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> counts, edges = dt.histogram(dt.arange(10), bins=[0, 2, 9])
    >>> counts.compute()
    array([2, 8])
    """
    cells = _cells(a)
    edges, even = _edges(cells, bins, range)
    counts = _counted([cells], [(edges, even)], weights)
    if not density:
        return counts, edges
    widths = Array(astype(real(diff(edges)).node, DOUBLE))
    return counts / widths / sum(counts), edges


@implements(np.histogram_bin_edges)
def histogram_bin_edges(a: Any, bins: Any = 10, range: Any = None, weights: Any = None) -> Array:
    """Return the edges of the bins that `histogram` counts in.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.histogram_bin_edges(dt.asarray([1, 5]), bins=2).compute()
    array([1., 3., 5.])
    """
    cells = _cells(a)
    if weights is not None and asarray(weights).shape != cells.shape:
        raise ShapeError("weights should have the same shape as a.")
    return _edges(cells, bins, range)[0]


def _cells(a: Any) -> Array:
    """Cells to count; booleans as zeros and ones."""
    x = asarray(a)
    return x if x.dtype.kind != "b" else Array(astype(x.node, np.dtype(np.uint8)))


def _edges(x: Array, bins: Any, bounds: Any) -> tuple[Array, bool]:
    """Edges, and whether they are evenly spaced."""
    if isinstance(bins, str):
        raise DTypeError(
            f"bins={bins!r}: how many bins an estimator chooses depends on the data; give a number"
        )
    if isinstance(bins, Array) and bins.ndim:
        if bins.ndim != 1:
            raise ShapeError("`bins` must be 1d, when an array")
        return bins, False
    if np.ndim(bins) or bounds is not None or not x.size:
        none = np.empty(0, x.dtype)
        try:
            known = np.histogram_bin_edges(none, bins, bounds)
        except (ValueError, TypeError) as error:
            kind = ShapeError if isinstance(error, ValueError) else DTypeError
            raise kind(str(error)) from None
        return asarray(known), not np.ndim(bins)
    try:
        count = index(bins)
    except TypeError:
        raise DTypeError("`bins` must be an integer, a string, or an array") from None
    if count < 1:
        raise ShapeError("`bins` must be positive, when an integer")
    return Array(_even_edges(x, count)), True


def _even_edges(x: Array, count: int) -> Tensor:
    """Evenly spaced edges from the least cell to the greatest, half a unit around a single one."""
    low, high = min(x).node, max(x).node
    if x.dtype.kind in "iu":
        low, high = astype(low, DOUBLE), astype(high, DOUBLE)
    elif x.dtype.kind not in "fc":
        raise DTypeError(f"bins between the least and the greatest cell of dtype {x.dtype.name}")
    single = elementwise("equal", low, high)
    first = choose(single, elementwise("subtract", low, 0.5), low)
    last = choose(single, elementwise("add", high, 0.5), high)
    kind = np.dtype(x.dtype.char.lower()) if x.dtype.kind in "fc" else DOUBLE
    place = arange(0, count + 1, 1, kind)
    step = elementwise("divide", elementwise("subtract", last, first), count)
    inner = elementwise("add", elementwise("multiply", place, step), first)
    is_last = elementwise("equal", arange(0, count + 1, 1, WIDE), count)
    return choose(is_last, last, inner)


def _counted(cells: Sequence[Array], found: Sequence[tuple[Array, bool]], weights: Any) -> Array:
    """Counts by bin; of several coordinates, the table over all of them."""
    shape = tuple(builtins.max(edges.size - 1, 0) for edges, _ in found)
    added = None if weights is None else asarray(weights)
    if added is not None and added.shape != cells[0].shape:
        raise ShapeError("weights should have the same shape as a.")
    if 0 in shape:
        dtype = np.dtype(np.intp) if added is None else added.dtype
        return Array(full(shape, scalar_of(0, dtype)))
    numbers = [
        histogram_bin(x.node, edges.node, even=even)
        for x, (edges, even) in zip(cells, found, strict=True)
    ]
    sides = tuple(n + 2 for n in shape)  # and what lies in none, at both ends
    table = Array(
        bincount(_flat_number(numbers, sides), prod(sides), None if added is None else added.node)
    )
    inside = table.reshape(sides)[tuple(slice(1, -1) for _ in sides)]
    return inside if added is None else _in_dtype(inside, added.dtype)


def _in_dtype(table: Array, dtype: np.dtype[Any]) -> Array:
    """Sums in the dtype of the weights; integers modulo their range, as when added as such."""
    if dtype.kind in "iu":
        return Array(astype(astype(table.node, WIDE), dtype))
    return Array(astype(table.node, dtype))


def _flat_number(numbers: Sequence[Tensor], sides: Sequence[int]) -> Tensor:
    """One number for several, in C order of a table with these sides."""
    if len(numbers) == 1:
        return numbers[0]
    flat = astype(numbers[0], WIDE)
    for number, side in zip(numbers[1:], sides[1:], strict=True):
        flat = elementwise("add", elementwise("multiply", flat, side), astype(number, WIDE))
    return flat


@implements(np.histogramdd)
def histogramdd(
    sample: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None
) -> tuple[Array, list[Array]]:
    """Count points by bin in several dimensions, as `numpy.histogramdd`.

    Parameters
    ----------
    sample
        Points, shape (points, dimensions), or a sequence of their coordinates.
    bins
        A number of bins for all dimensions, or for each dimension a number or edges.
    range
        For each dimension least and greatest edge, or None.
    density
        Divide by the number of points and the volumes of the bins.
    weights
        Of the points.

    Raises
    ------
    ShapeError
        If there are not as many bins or ranges as dimensions.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> counts, edges = dt.histogramdd([dt.arange(4), dt.arange(4)], bins=2)
    >>> counts.compute()
    array([[2., 0.],
           [0., 2.]])
    """
    parts = _coordinates(sample)
    each = list(bins) if hasattr(bins, "__len__") else [bins] * len(parts)
    if len(each) != len(parts):
        raise ShapeError("The dimension of bins must be equal to the dimension of the sample x.")
    spans = [None] * len(parts) if range is None else list(range)
    if len(spans) != len(parts):
        raise ShapeError("range argument must have one entry per dimension")
    found = [_edges(x, b, r) for x, b, r in zip(parts, each, spans, strict=True)]
    edges = [edge for edge, _ in found]
    if weights is not None and asarray(weights).dtype.kind == "c":
        raise DTypeError("weights of points are real numbers")
    counts = Array(astype(_counted(parts, found, weights).node, DOUBLE))
    return (_density(counts, edges) if density else counts), edges


def _coordinates(sample: Any) -> list[Array]:
    """Coordinates of points, one array for each dimension."""
    if isinstance(sample, list | tuple):
        return [_cells(x) for x in sample]
    points = asarray(sample)
    if points.ndim == 1:
        return [_cells(points)]
    if points.ndim != 2:
        raise ShapeError(f"points have shape (points, dimensions), not {points.shape}")
    return [_cells(points[:, dim]) for dim in np.arange(points.shape[1]).tolist()]


def _density(counts: Array, edges: Sequence[Array]) -> Array:
    total = sum(counts)
    for axis, edge in enumerate(edges):
        sides = [1] * len(edges)
        sides[axis] = edge.size - 1
        counts = counts / diff(edge).reshape(tuple(sides))
    return counts / total


@implements(np.histogram2d)
def histogram2d(
    x: Any,
    y: Any,
    bins: Any = 10,
    range: Any = None,
    density: Any = None,
    weights: Any = None,
) -> tuple[Array, Array, Array]:
    """Count points of a plane by bin, as `numpy.histogram2d`; return counts and both edges.

    Parameters
    ----------
    bins
        A number for both dimensions, edges for both, or one of these for each.

    Raises
    ------
    ShapeError
        If `x` and `y` differ in length.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> counts, *_ = dt.histogram2d(dt.arange(4), dt.arange(4), bins=2)
    >>> counts.compute()
    array([[2., 0.],
           [0., 2.]])
    """
    first, second = asarray(x), asarray(y)
    if first.shape != second.shape:
        raise ShapeError("x and y must have the same length.")
    if hasattr(bins, "__len__") and len(bins) not in (1, 2):
        bins = [bins, bins]
    counts, edges = histogramdd([first, second], bins, range, density, weights)
    return counts, edges[0], edges[1]
