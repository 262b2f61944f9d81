"""Tables of bins, filled from lines of cells by compiled code or, where there is none, by NumPy."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import as_strided

from dask_tapestry_kernels.cpu.cells.interpreter import tiles
from dask_tapestry_kernels.cpu.reduction import bincount_compiled, binned_counts_compiled
from dask_tapestry_kernels.cpu.reduction.bin_numbers import bin_number, places_of
from dask_tapestry_kernels.cpu.reduction.bin_numbers_compiled import Places
from dask_tapestry_kernels.cpu.reduction.binned_counts_compiled import SHORTEST_ROW
from dask_tapestry_kernels.formulas.merged_dims import merged
from dask_tapestry_kernels.parameters.bincount_tables import refusal
from dask_tapestry_kernels.parameters.even_edges import check_even

Block = np.ndarray[Any, Any]
PIECE: Final = 65_536  # cells that are copied or numbered at a time: they stay in cache
CELLS_A_BIN: Final = 4  # of a piece, lest its table is longer than the piece


class Binning:
    """The bins of cells that are no numbers of bins yet.

    Parameters
    ----------
    cells
        Cells of the dtype of all that are numbered.
    edges, even
        As `bin_number` takes them.

    Raises
    ------
    ValueError
        If even edges are not finite, or lie closer than their dtype can tell.
    """

    def __init__(self, cells: Block, edges: Block, even: bool) -> None:
        if even:
            check_even(edges)
        self.some, self.edges, self.even = cells[:0], edges, even
        self.dtype = np.min_scalar_type(len(edges))

    @cached_property
    def places(self) -> Places | None:
        """What compiled loops are told; None where these have none for the cells."""
        with np.errstate(all="ignore"):
            return places_of(self.some, self.edges, self.even)

    def numbers(self, cells: Block) -> Block:
        """The number of the bin of each cell."""
        return bin_number(None, cells, self.edges, even=self.even, dtype=self.dtype)


class Filling(NamedTuple):
    """What tables of leaves hold: their bins, dtype, the number of all bins (`Tables`).

    `binning` numbers the cells; None where they are numbers of bins.
    """

    bins: range
    state: np.dtype[Any]
    limit: int | None
    binning: Binning | None

    @property
    def piece(self) -> int:
        """How many cells are counted together that have to be copied, or numbered, before."""
        return max(PIECE, CELLS_A_BIN * len(self.bins))


def fill(tables: Block, cells: Block, weights: Block | None, leaf: int, told: Filling) -> None:
    """Fill the `tables`, all zero, of the leaves of a line of cells.

    Within a leaf weights are added in the order of the cells; counts have one sum in any order.
    """
    if _is_filled_natively(tables, cells, weights, leaf, told):
        return
    piece = leaf if weights is not None else min(leaf, told.piece)
    scratch = np.empty(min(len(cells), piece), np.intp)  # a fresh one costs a tenth more
    for number, table in enumerate(tables):
        begin, end = number * leaf, min(len(cells), (number + 1) * leaf)
        for low in range(begin, end, piece):
            part = slice(low, min(low + piece, end))
            added = None if weights is None else weights[part]
            _add(table, cells[part], added, told, scratch)


def count_rows(table: Block, rows: Block, told: Filling) -> None:
    """Count all cells of rows in the only one of the tables, which is zero."""
    binning = told.binning
    if len(rows) > 1 and binning is not None and binning.places is not None:
        leaf, places = rows.shape[1], binning.places
        named: Any = {"leaf": leaf, "bins": told.bins, "places": places}
        if binned_counts_compiled.fill(table, rows, None, **named):
            return
    step = max(1, told.piece // max(1, rows.shape[1]))
    for low in range(0, len(rows), step):
        line = rows[low : low + step].ravel()
        added = table if low == 0 else np.zeros_like(table)
        fill(added, line, None, max(1, len(line)), told)
        if low:
            table += added


def in_rows(cells: Block, most: int) -> Iterator[Block]:
    """Rows of cells that lie side by side; of all cells, in the order in which they lie in memory.

    Where rows would be short they are copied, `most` cells at a time.
    """
    forward = cells[tuple([slice(None, None, -1 if s < 0 else 1) for s in cells.strides])]
    extents, (steps,) = merged([forward], 2)
    rows = as_strided(forward, extents, steps)
    if steps[-1] == cells.itemsize and (len(rows) == 1 or extents[-1] >= SHORTEST_ROW):
        for lead in np.ndindex(*extents[:-2]):
            yield rows[lead]
        return
    for tile in tiles(rows.shape, most):
        yield rows[tile].reshape(1, -1)


def _is_filled_natively(
    tables: Block, cells: Block, weights: Block | None, leaf: int, told: Filling
) -> bool:
    """Whether a compiled loop has filled the tables; if not they are zero."""
    bins, limit, binning = told.bins, told.limit, told.binning
    if binning is not None and cells.dtype.itemsize == 1 and weights is None:
        return _is_filled_by_value(tables, cells, leaf, binning, bins)
    if binning is not None:
        if cells.size < binned_counts_compiled.SMALL or binning.places is None:
            return False
        named: Any = {"leaf": leaf, "bins": bins, "places": binning.places}
        return binned_counts_compiled.fill(tables, cells, weights, **named)
    if bincount_compiled.fill(tables, cells, weights, leaf=leaf, bins=bins, limit=limit):
        return True
    tables[...] = 0
    return False


def _is_filled_by_value(
    tables: Block, cells: Block, leaf: int, binning: Binning, bins: range
) -> bool:
    """Whether cells of one byte were counted by value, and each value's bin was looked up."""
    values, every = np.zeros((len(tables), 256), np.int64), np.arange(256, dtype=np.uint8)
    whole: Any = {"leaf": leaf, "bins": range(256), "limit": None}
    if not bincount_compiled.fill(values, cells.view(np.uint8), None, **whole):
        return False
    by_bin = np.zeros((bins.stop + 1, len(tables)), np.int64)
    numbers = binning.numbers(every.view(cells.dtype)).astype(np.intp)
    np.add.at(by_bin, np.minimum(numbers, bins.stop), values.T)
    tables[...] = by_bin[bins.start : bins.stop].T
    return True


def _add(table: Block, cells: Block, weights: Block | None, told: Filling, scratch: Block) -> None:
    """Add cells to a table: to one that is zero if they have weights."""
    if told.binning is None:
        table += _counted(cells, weights, told, scratch)
        return
    numbers, numbered = told.binning.numbers(cells), told._replace(binning=None)
    found = np.zeros((1, len(told.bins)), told.state)
    if not _is_filled_natively(found, numbers, weights, len(numbers), numbered):
        found[0] = _counted(numbers, weights, numbered, scratch)
    table += found[0]


def _counted(numbers: Block, weights: Block | None, told: Filling, scratch: Block) -> Block:
    """The table of a few numbers, by NumPy."""
    bins, limit = told.bins, told.limit
    low, high = int(numbers.min()), int(numbers.max())
    if limit is not None and (low < 0 or high >= limit):
        raise ValueError(refusal(low, high, limit))
    if low < 0 or high > bins.stop or bins.start > 1:
        inside = (numbers >= bins.start) & (numbers < bins.stop)
        numbers = numbers[inside]
        weights = None if weights is None else weights[inside]
    cells = numbers
    if cells.dtype != np.intp:
        cells = scratch[: len(numbers)]
        np.copyto(cells, numbers, casting="unsafe")
    part = slice(bins.start, bins.stop)
    if weights is None:
        return np.bincount(cells, minlength=bins.stop)[part]
    if weights.dtype.kind != "c":
        return np.bincount(cells, weights, bins.stop)[part]
    table = np.empty(len(bins), told.state)
    table.real = np.bincount(cells, weights.real, bins.stop)[part]
    table.imag = np.bincount(cells, weights.imag, bins.stop)[part]
    return table
