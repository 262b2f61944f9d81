"""Padding: `pad` puts cells before and after those of an array."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.amounts import is_one_of, reading, suggestion
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.dispatch import implements
from dask_tapestry.arrays.creation.ranges import linspace
from dask_tapestry.arrays.elementwise.ufunc_functions import FUNCTIONS
from dask_tapestry.arrays.elementwise.where_and_clip import astype
from dask_tapestry.arrays.manipulation.roll_flip import flip
from dask_tapestry.arrays.shape.reshaping import squeeze
from dask_tapestry.arrays.statistics.averages import mean
from dask_tapestry.arrays.statistics.extremes import max as greatest
from dask_tapestry.arrays.statistics.extremes import min as least
from dask_tapestry.arrays.statistics.medians import median
from dask_tapestry.cells.references import Cell
from dask_tapestry.errors import ArgumentError, DTypeError, ShapeError, ValueRangeError
from dask_tapestry.operators.axes import normalize_axis
from dask_tapestry.operators.cells.elementwise import astype as cast
from dask_tapestry.operators.functions.vector_function import pad_vectors
from dask_tapestry.operators.joins.axis_slices import slice_axis
from dask_tapestry.operators.joins.pad import (
    framed,
    joined_between,
    pad_constant,
    pad_edge,
    pad_reflect,
    pad_reflect_odd,
    pad_wrap,
)
from dask_tapestry.operators.views.broadcast import broadcast
from dask_tapestry.teg import Tensor

__all__ = ["pad"]

Mode = Literal[
    "constant",
    "edge",
    "empty",
    "linear_ramp",
    "maximum",
    "mean",
    "median",
    "minimum",
    "reflect",
    "symmetric",
    "wrap",
]
Pair = tuple[Any, Any]
Widths = list[tuple[int, int]]
OPTIONS: Final = {
    "constant": {"constant_values"},
    "empty": set(),
    "edge": set(),
    "wrap": set(),
    "linear_ramp": {"end_values"},
    "maximum": {"stat_length"},
    "mean": {"stat_length"},
    "median": {"stat_length"},
    "minimum": {"stat_length"},
    "reflect": {"reflect_type"},
    "symmetric": {"reflect_type"},
}
STATISTICS: Final[Mapping[str, Callable[..., Array]]] = {
    "maximum": greatest,
    "minimum": least,
    "mean": mean,
    "median": median,
}


@implements(np.pad)
def pad(
    array: ArrayLike,
    pad_width: ArrayLike | Mapping[int, int | tuple[int, int]],
    mode: Mode | Callable[..., None] = "constant",
    **kwargs: Any,
) -> Array:
    """Put cells before and after those of an array, as `numpy.pad`.

    {Parameters}
        array: The array.
        pad_width: How many: one number, a pair of numbers before and after, a pair for each
            dimension, or numbers and pairs by dimension.
        mode: ``"constant"``, ``"edge"``, ``"linear_ramp"``, ``"maximum"``, ``"mean"``,
            ``"median"``, ``"minimum"``, ``"reflect"``, ``"symmetric"``, ``"wrap"`` or ``"empty"``
            (zeros here), or a function as NumPy's: it is called for each vector along each
            dimension in turn, as ``function(vector, widths, axis, kwargs)``, and writes into it.
        **kwargs: ``constant_values``, ``end_values``, ``stat_length``, ``reflect_type`` for their
            modes; for a function whatever it takes.
    {Returns} Array: Dtype of `array`; each dimension is longer by its widths.
    {Raises}
        ShapeError: For an unknown mode or option, negative widths, or a dimension without cells to
            pad with.
        DTypeError: If widths are no integers.
    {Examples}
    >>> dt.pad(dt.arange(3), (1, 2), constant_values=9).compute()
    array([9, 0, 1, 2, 9, 9])
    >>> dt.pad(dt.arange(4), 3, mode="reflect").compute()
    array([3, 2, 1, 0, 1, 2, 3, 2, 1, 0])
    """
    x = asarray(array)
    widths = _pad_widths(pad_width, x.ndim)
    if callable(mode):
        return _pad_by_function(mode, x, widths, kwargs)
    if not is_one_of(mode, OPTIONS):
        raise ArgumentError(f"mode '{mode}' is not supported{suggestion(mode, OPTIONS)}")
    if unknown := set(kwargs) - OPTIONS[mode]:
        raise ArgumentError(f"unsupported keyword arguments for mode '{mode}': {unknown}")
    if mode == "constant":
        return _pad_constant(x, widths, kwargs.get("constant_values", 0))
    if mode == "empty":
        return _pad_constant(x, widths, 0)
    for axis, (n, width) in enumerate(zip(x.shape, widths, strict=True)):
        if not n and any(width):
            raise ShapeError(
                f"can't extend empty axis {axis} using modes other than 'constant' or 'empty'"
            )
    if not x.size:
        return _pad_constant(x, widths, 0)
    if mode in ("edge", "wrap", "reflect", "symmetric"):
        return _pad_copies(x, widths, mode, kwargs.get("reflect_type", "even"))
    if mode == "linear_ramp":
        return _pad_ramp(x, widths, _pairs_by_axis(kwargs.get("end_values", 0), x.ndim))
    return _pad_statistic(x, widths, mode, _pairs_of_counts(kwargs.get("stat_length"), x.ndim))


def _pad_constant(x: Array, widths: Widths, values: ArrayLike) -> Array:
    node = x.node
    if isinstance(values, Array):
        value = cast(broadcast(values.node, (1,) * x.ndim), x.dtype)
        for axis, width in enumerate(widths):
            node = framed(node, axis, width, (value, value))
        return Array(node)
    for axis, (width, pair) in enumerate(zip(widths, _pairs_by_axis(values, x.ndim), strict=True)):
        node = pad_constant(node, axis, width, (_cell(pair[0], x.dtype), _cell(pair[1], x.dtype)))
    return Array(node)


def _pad_copies(x: Array, widths: Widths, mode: str, reflect_type: str) -> Array:
    """Copies of the array's own cells: its edges, itself repeated, or itself mirrored."""
    node = x.node
    for axis, width in enumerate(widths):
        if not any(width):
            continue
        if mode == "edge":
            node = pad_edge(node, axis, width)
        elif mode == "wrap":
            node = pad_wrap(node, axis, width)
        elif reflect_type == "odd":
            node = pad_reflect_odd(node, axis, width, mode == "symmetric")
        else:
            node = pad_reflect(node, axis, width, mode == "symmetric")
    return Array(node)


def _pad_ramp(x: Array, widths: Widths, ends: list[Pair]) -> Array:
    """A linear ramp from the value of each end down or up to the array's edge."""
    for axis, (width, pair) in enumerate(zip(widths, ends, strict=True)):
        extent = x.shape[axis]
        edges = slice_axis(x.node, axis, 0, 1), slice_axis(x.node, axis, extent - 1, extent)
        before, after = (
            linspace(end, squeeze(Array(edge), axis), n, False, dtype=x.dtype, axis=axis)
            for end, edge, n in zip(pair, edges, width, strict=True)
        )
        x = Array(joined_between(x.node, axis, before.node, flip(after, axis).node))
    return x


def _pad_statistic(x: Array, widths: Widths, mode: str, lengths: list[Pair]) -> Array:
    """A statistic of the cells nearest to each side, `lengths` of them; None means all."""
    for axis, (width, pair) in enumerate(zip(widths, lengths, strict=True)):
        extent = x.shape[axis]
        left, right = (extent if n is None else min(n, extent) for n in pair)
        if not min(left, right) and mode in ("maximum", "minimum"):
            raise ShapeError("stat_length of 0 yields no value for padding")
        sides = (
            _statistic(mode, Array(slice_axis(x.node, axis, 0, left)), axis),
            _statistic(mode, Array(slice_axis(x.node, axis, extent - right, extent)), axis),
        )
        x = Array(framed(x.node, axis, width, sides))
    return x


def _statistic(mode: str, cells: Array, axis: int) -> Tensor:
    value = STATISTICS[mode](cells, axis=axis, keepdims=True)
    if cells.dtype.kind in "iu":
        value = FUNCTIONS["rint"](value)
    return astype(value, cells.dtype).node


def _pad_by_function(
    function: Callable[..., None], x: Array, widths: Widths, kwargs: dict[str, Any]
) -> Array:
    node = _pad_constant(x, widths, 0).node
    for axis, width in enumerate(widths):
        node = pad_vectors(node, function, axis, width, kwargs)
    return Array(node)


def _pad_widths(pad_width: ArrayLike | Mapping[int, int | tuple[int, int]], ndim: int) -> Widths:
    """Numbers of cells before and after, for each dimension."""
    if isinstance(pad_width, Mapping):
        pairs: list[Any] = [(0, 0)] * ndim
        for axis, width in pad_width.items():
            pairs[normalize_axis(axis, ndim)] = (
                width if isinstance(width, tuple) else (width, width)
            )
        pad_width = np.asarray(pairs or np.zeros((0, 2), int))
    with reading("pad_width"):
        given = np.asarray(pad_width)
    if given.dtype.kind != "i":
        raise DTypeError("`pad_width` must be of integral type.")
    return _pairs_of_counts(given, ndim)


@reading("numbers of cells")
def _pairs_of_counts(values: ArrayLike | None, ndim: int) -> list[Pair]:
    """Pairs of numbers of cells, or of None."""
    if values is None:
        return [(None, None)] * ndim
    given = np.round(np.asarray(values)).astype(np.int64)
    if given.size and given.min() < 0:
        raise ShapeError("index can't contain negative values")
    return [(int(a), int(b)) for a, b in _pairs_by_axis(given, ndim)]


def _pairs_by_axis(values: ArrayLike, ndim: int) -> list[Pair]:
    """A value for each side of each dimension, of fewer by broadcasting."""
    with reading("values at the ends"):
        given = np.asarray(values)
    try:
        pairs = np.broadcast_to(given, (ndim, 2))
    except ValueError as error:
        raise ShapeError(str(error)) from None
    if given.size <= 2:  # NumPy hands on its own scalars here, Python's below
        return [(a, b) for a, b in pairs]
    return [(a, b) for a, b in pairs.tolist()]


def _cell(value: object, dtype: np.dtype[Any]) -> Cell:
    """`value` as NumPy stores it in an array of `dtype`."""
    cell = np.zeros((1,), dtype)
    with reading("a value at the ends"):
        try:
            cell[:] = value
        except OverflowError as error:
            raise ValueRangeError(str(error)) from None
    return cell.reshape(()) if dtype.hasobject else cell[0]
