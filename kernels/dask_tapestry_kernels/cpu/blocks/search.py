"""Searches, cell by cell, in tables that each block has whole."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Literal

import numpy as np

from dask_tapestry_kernels.cpu.blocks.search_compiled import searched
from dask_tapestry_kernels.kernel_table import Kernel
from dask_tapestry_kernels.stopping import stop_if_asked

Block = np.ndarray[Any, Any]
Side = Literal["left", "right"]
MOST_MARKS: Final = 2**20  # bytes, which stay in the second cache
MARKS_A_CELL: Final = 4
TURN: Final = 2**20  # cells that are looked up between two questions whether to go on


def search(out: Block | None, cells: Block, table: Block, *, side: Side) -> Block:  # noqa: ARG001
    """Places, int64, in a sorted `table` of one dimension before which `cells` belong.

    `side` is that of equal cells, "left" or "right", as of `numpy.searchsorted`.
    """
    table, cells = _comparable(table, cells)
    return _in_turns(lambda some: _places(some, table, side), cells)


def _places(cells: Block, table: Block, side: Side) -> Block:
    """Places of cells in a sorted table, whose dtypes compare."""
    found = searched(cells, table, side)
    return np.asarray(np.searchsorted(table, cells, side)) if found is None else found


def _in_turns(function: Callable[[Block], Any], cells: Block) -> Block:
    """What `function` finds for each of `cells`, some of them at a time."""
    if cells.size <= TURN:
        return np.asarray(function(cells))
    line = cells.reshape(-1)
    result: Block | None = None
    for first in range(0, line.size, TURN):
        stop_if_asked()
        values = np.asarray(function(line[first : first + TURN]))
        result = np.empty(line.size, values.dtype) if result is None else result
        result[first : first + TURN] = values
    assert result is not None
    return result.reshape(cells.shape)


def _comparable(table: Block, cells: Block) -> tuple[Block, Block]:
    """The same cells; of `StringDType` as Python's strings, which have the same order.

    NumPy (2.4) compares texts of two arrays as if they lay in one.
    """
    if table.dtype.kind != "T":
        return table, cells
    return table.astype(object), cells.astype(object)


def digitize(out: Block | None, cells: Block, bins: Block, *, right: bool) -> Block:  # noqa: ARG001
    """Numbers, int64, of the bins that `cells` lie in, as `numpy.digitize` has them.

    `bins` are edges of one dimension, ascending or descending; `right` says whether a bin holds its
    right edge.
    """
    times = bins.dtype.kind in "mM"  # which `numpy.digitize` does not take
    edges = bins.view(np.int64) if times else bins
    np.digitize(np.empty(0, np.int64 if times else cells.dtype), edges)  # raises if not sorted
    side: Side = "left" if right else "right"
    if bins.size and edges[0] > edges[-1]:
        return _in_turns(lambda some: bins.size - _places(some, bins[::-1], side), cells)
    return _in_turns(lambda some: _places(some, bins, side), cells)


def is_in(out: Block | None, cells: Block, table: Block, *, invert: bool) -> Block:  # noqa: ARG001
    """Whether `cells` are in a sorted `table` of one dimension; with `invert`, whether not."""
    if not table.size:
        return np.full(cells.shape, invert)
    table, cells = _comparable(table, cells)
    marks = _marks(table, cells, invert)

    def found(some: Block) -> Block:
        if marks is not None:
            distance = (some - table[0]).view(f"u{some.itemsize}")  # of lesser cells: large
            return np.asarray(marks[np.minimum(distance, distance.dtype.type(marks.size - 1))])
        known = searched(some, table, "within", invert)
        if known is not None:
            return known
        places = np.minimum(np.searchsorted(table, some), table.size - 1)
        return np.asarray(table[places] != some if invert else table[places] == some)

    return _in_turns(found, cells)


def _marks(table: Block, cells: Block, invert: bool) -> Block | None:
    """What is found of each integer from the first of a table to its last, and then of all others.

    None where there are so many that a search is faster. (2^21 int64, 715 numbers up to 5,000: 5.6
    instead of 9.8 ms.)
    """
    if table.dtype.kind not in "iu" or cells.dtype != table.dtype or not table.dtype.isnative:
        return None
    span = int(table[-1]) - int(table[0]) + 1
    if not span <= min(MOST_MARKS, MARKS_A_CELL * cells.size, np.iinfo(table.dtype).max):
        return None
    marks = np.full(span + 1, invert)
    marks[(table - table[0]).view(f"u{table.itemsize}")] = not invert
    return marks


def search_parts(
    out: Block | None,  # noqa: ARG001
    cells: Block,
    table: Block,
    *,
    answer: Literal["left", "right", "within"],
    length: int,
) -> Block:
    """What each part of `length` cells of a sorted `table` tells of cells: (parts, *cells).

    Places, int64, left or right of equal cells, or whether cells are "within" it.
    """
    parts = [table[first : first + length] for first in range(0, table.size, length)]
    if answer == "within":
        return np.stack([is_in(None, cells, part, invert=False) for part in parts])
    return np.stack([search(None, cells, part, side=answer) for part in parts])


def interp(
    out: Block | None,  # noqa: ARG001
    cells: Block,
    points: Block,
    values: Block,
    *,
    left: complex | None,
    right: complex | None,
    period: float | None,
) -> Block:
    """Interpolate linearly at `cells`, as `numpy.interp`.

    Parameters
    ----------
    points, values
        Of one dimension and length; `points` ascend unless there is a `period`.
    left, right
        Results below and above all points; None for the first and the last value.
    period
        Of the coordinates, or None.
    """
    function: Any = np.interp
    with np.errstate(all="ignore"):
        return _in_turns(lambda some: function(some, points, values, left, right, period), cells)


def interp_parts(
    out: Block | None,  # noqa: ARG001
    cells: Block,
    points: Block,
    values: Block,
    *,
    length: int,
    left: float | None,
    right: float | None,
    is_first: bool,
    is_last: bool,
) -> Block:
    """Interpolate at cells in each part of `length` points: (parts, *cells), -inf at others.

    Parameters
    ----------
    points, values
        Those of all parts, and the first of the next one.
    is_first, is_last
        Whether there are no points before and behind.
    """
    begins = range(0, max(1, points.size - (not is_last)), length)
    made = np.empty((len(begins), *cells.shape), values.dtype)
    for one, begin in zip(made, begins, strict=True):
        part = slice(begin, begin + length + 1)
        one[...] = interp(
            None, cells, points[part], values[part], left=left, right=right, period=None
        )
        if begin or not is_first:
            one[~(cells >= points[begin])] = -np.inf
        if begin + length < points.size:
            one[cells >= points[begin + length]] = -np.inf
    return made


KERNELS: Final[dict[str, Kernel]] = {
    "search": search,
    "digitize": digitize,
    "isin": is_in,
    "searchparts": search_parts,
    "interp": interp,
    "interpparts": interp_parts,
}
