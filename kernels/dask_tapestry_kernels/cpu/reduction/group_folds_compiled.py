"""Folds by group in compiled loops: rows of cells are folded into the row of their group, in order.

Of all leaves of a block at once, each row of cells goes into the table of its leaf: what is folded
there has the bits of a leaf that is folded alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from math import prod
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import numpy as np

from dask_tapestry_kernels.cpu.jit.compile_service import Native, compiled
from dask_tapestry_kernels.cpu.jit.memory_layout import address, storage

Block = np.ndarray[Any, Any]

SMALL: Final = 4096  # cells; fewer are not worth a call
ARITY: Final = 12
WAYS: Final = 4  # columns that are folded side by side, lest one waits for the state before
LEAST_COLUMNS: Final = 8  # beside which rows' places take little
MOST_ROWS: Final = 2**15  # whose places are in memory at a time: half a MiB

# Of the state t, the cell v and the mean m of its group. At a tie of zeros the cell, as NumPy.
UPDATES: Final[Mapping[str, str]] = MappingProxyType({
    "add": "t + v",
    "multiply": "t * v",
    "minimum": "t if t < v or t != t else v",
    "maximum": "t if t > v or t != t else v",
    "fmin": "v if v <= t or t != t else t",
    "fmax": "v if v >= t or t != t else t",
    "logical_or": "t | v",
    "logical_and": "t & v",
    "add squares": "t + (v - m) * (v - m)",
})  # fmt: skip
SKIPPED: Final = MappingProxyType({"add": "t", "multiply": "t", "add squares": "t"})  # of NaN

OF_MONOIDS: Final[Mapping[str, str]] = MappingProxyType({
    "sum": "add", "prod": "multiply", "min": "minimum", "max": "maximum", "fmin": "fmin",
    "fmax": "fmax", "any": "logical_or", "all": "logical_and", "nanmean": "add", "nanvar": "add",
    "nanstd": "add",
})  # fmt: skip

SOURCE: Final = """\
import numpy as np
from numba import carray, njit
from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import pointer


def fold(values, starts, numbers, table, means, found, rows, width, apart, row, column, held):
    start = carray(pointer(starts), (rows,), np.int64)
    number = carray(pointer(numbers), (rows,), np.int64)
    states = carray(pointer(table), (held,), np.{state})
    mean = carray(pointer(means), (held,), np.{state})
    left_out = np.int64(0)
    if apart == 1 and column == 1:
        for r in range(rows):
            own = carray(pointer(values + start[r] * {item}), (width,), np.{cell})
            into = carray(pointer(table + number[r] * row * {size}), (width,), np.{state})
            mid = carray(pointer(means + number[r] * row * {size}), (width,), np.{state})
            for c in range(width):
                cell, t, m = own[c], into[c], mid[c]
                v = {value}
                left_out += np.int64({skipped})
                into[c] = {updated}
    elif apart == 1:
        for r in range(rows):
            own = carray(pointer(values + start[r] * {item}), (width,), np.{cell})
            to = number[r] * row
            for c in range(width):
                at = np.uint64(to + c * column)
                cell, t, m = own[c], states[at], mean[at]
                v = {value}
                left_out += np.int64({skipped})
                states[at] = {updated}
    else:
        whole = width // {ways} * {ways}
        for lead in range(0, whole, {ways}):
            for r in range(rows):
                begin = values + (start[r] + lead * apart) * {item}
                to = number[r] * row + lead * column
                for way in range({ways}):
                    at = np.uint64(to + way * column)
                    cell = carray(pointer(begin + way * apart * {item}), (1,), np.{cell})[0]
                    t, m = states[at], mean[at]
                    v = {value}
                    left_out += np.int64({skipped})
                    states[at] = {updated}
        for c in range(whole, width):
            for r in range(rows):
                at = np.uint64(number[r] * row + c * column)
                begin = values + (start[r] + c * apart) * {item}
                cell, t, m = carray(pointer(begin), (1,), np.{cell})[0], states[at], mean[at]
                v = {value}
                left_out += np.int64({skipped})
                states[at] = {updated}
    carray(pointer(found), (1,), np.int64)[0] += left_out


kernel = njit("void({arguments})", nogil=True, error_model="numpy")(fold)
"""


@lru_cache(maxsize=64)
def source(update: str, cell: np.dtype[Any], state: np.dtype[Any], skipna: bool) -> str | None:
    """The text of a module that folds cells into states; None where NumPy has to.

    With `skipna` NaN changes no state.
    """
    if not _is_folded(cell) or not _is_folded(state):
        return None
    is_truth = update.startswith("logical")
    if (state.kind == "b") != is_truth or (cell.kind == "f" and state.kind in "iu"):
        return None
    if update in ("fmin", "fmax") and (cell.kind != "f" or state.kind != "f"):
        return None
    skips = skipna and cell.kind == "f"
    if skips and update not in SKIPPED:
        return None
    updated = UPDATES[update]
    return SOURCE.format(
        cell=storage(cell), item=cell.itemsize, state=storage(state), size=state.itemsize,
        ways=WAYS, value="np.uint8(cell != 0)" if is_truth else f"np.{state.name}(cell)",
        skipped="v != v" if skips else "0",
        updated=f"({updated}) if v == v else {SKIPPED[update]}" if skips else updated,
        arguments=", ".join(["int64"] * ARITY),
    )  # fmt: skip


def _is_folded(dtype: np.dtype[Any]) -> bool:
    return dtype.kind in "biuf" and dtype.char not in "eg" and dtype.isnative


def _kernel(update: str, cells: Block, state: np.dtype[Any], skipna: bool) -> Native | None:
    """What folds such cells; None where NumPy has to."""
    if cells.size < SMALL or any(step % cells.itemsize for step in cells.strides):
        return None
    text = source(update, cells.dtype, state, skipna)
    return None if text is None else compiled(text, ARITY, "folds by group", cells.size)


class Update(NamedTuple):
    """A key of `UPDATES`, and whether NaN changes no state."""

    name: str
    skipna: bool


def update_of(monoid: str, skipna: bool) -> Update | None:
    """How a monoid folds cells, first of all; None where NumPy has to."""
    name = OF_MONOIDS.get(monoid)
    if name in ("fmin", "fmax"):
        return Update(name, False) if skipna else None  # they choose numbers before NaN themselves
    return None if name is None else Update(name, skipna)


def fold_rows(
    update: str,
    values: Block,
    numbers: Block,
    table: Block,
    skipna: bool = False,
    means: Block | None = None,
) -> int | None:
    """Fold rows of cells into rows of states, in order; how many cells were left out of them.

    None where NumPy has to, and nothing is done.

    Parameters
    ----------
    update
        A key of `UPDATES`.
    values
        Cells, shaped (rows, columns); those of a row or of a column may lie apart.
    numbers
        The row of the table that each goes into.
    table
        States, shaped (groups, columns).
    skipna
        Whether NaN changes no state.
    means
        Of the groups, as they lie in memory as the states do, for sums of squares.
    """
    native = _kernel(update, values, table.dtype, skipna)
    if native is None or not table.size:
        return None
    starts = np.arange(len(values)) * (values.strides[0] // values.itemsize)
    numbers = np.ascontiguousarray(numbers, np.int64)
    return _fold(native, values, numbers, starts, table, table if means is None else means)


class LeafFold(NamedTuple):
    """What is folded in each leaf.

    Attributes
    ----------
    monoid
        A key of `OF_MONOIDS`.
    groups
        Others are left out.
    sides
        Of a leaf.
    identity
        State of no cells.
    skipna
        Whether NaN is left out.
    """

    monoid: str
    groups: range
    sides: tuple[int, ...]
    identity: Any
    skipna: bool

    def kernel(self, cells: Block, tables: Block) -> Native | None:
        """What folds the cells first; None where NumPy has to."""
        update = update_of(self.monoid, self.skipna)
        if update is None:
            return None
        return _kernel(update.name, cells, _first_field(tables).dtype, update.skipna)


def _first_field(tables: Block) -> Block:
    """What cells are folded into first: the states, or sums of them."""
    names = tables.dtype.names
    return tables if names is None else tables["sum" if "sum" in names else "mean"]


def fill_leaves(cells: Block, codes: Block, tables: Block, leaf: LeafFold) -> bool:
    """Fill the tables of all leaves of a block; False where that is done leaf by leaf.

    Parameters
    ----------
    cells
        The folded axes first, then those that are kept.
    codes
        The group of each cell along the folded axes.
    tables
        States, shaped (leaves..., groups, kept...), leaf after leaf in memory.
    """
    rank = codes.ndim
    kept = sorted(range(rank, cells.ndim), key=lambda axis: -abs(cells.strides[axis]))
    columns = cells.shape[kept[-1]] if kept else 1
    if columns < LEAST_COLUMNS or not tables.size:
        return False
    native = leaf.kernel(cells, tables)
    if native is None:
        return False
    cells = cells.transpose(*range(rank), *kept)
    tables = tables.transpose(*range(rank + 1), *[axis + 1 for axis in kept])
    layers = max(1, MOST_ROWS // max(1, leaf.sides[0] * prod(codes.shape[1:])))
    bands = -(-len(tables) // layers)
    if bands * prod(cells.shape[rank:-1]) > prod(tables.shape[:rank]):
        return False  # leaf by leaf takes fewer calls: 16 ms in place of 22 for 12 maps
    for first in range(0, len(tables), layers):
        cut = slice(first * leaf.sides[0], (first + layers) * leaf.sides[0])
        if not _fill_some(native, cells[cut], codes[cut], tables[first : first + layers], leaf):
            return False
    return True


class _Rows(NamedTuple):
    """Rows of cells of some leaves, in order: the row of a table, and the place, of each."""

    numbers: Block
    places: Block
    rank: int

    def fold(self, native: Native, cells: Block, tables: Block, means: Block) -> int:
        """Fold them into tables, shaped (leaves..., groups, kept...); how many were left out."""
        left_out, starts = 0, _starts(cells, self.rank)[self.places]
        for kept in np.ndindex(*cells.shape[self.rank : -1]):
            column = (*[slice(None)] * self.rank, *kept)
            into = (slice(None), *column)
            left_out += _fold(
                native, cells[column], self.numbers, starts, tables[into], means[into]
            )
        return left_out


def _fill_some(native: Native, cells: Block, codes: Block, tables: Block, leaf: LeafFold) -> bool:
    """Fill the tables of some leaves, whose rows are taken leaf by leaf."""
    rank, count = codes.ndim, len(leaf.groups)
    leaves, places = in_leaves(codes.shape, leaf.sides)
    own = codes.reshape(-1)[places].astype(np.int64) - leaf.groups.start
    held = (own >= 0) & (own < count)
    rows = _Rows((leaves * count + own)[held], places[held], rank)
    states = _first_field(tables)
    states[...] = leaf.identity if tables.dtype.names is None else 0
    left_out = rows.fold(native, cells, states, states)
    if tables.dtype.names is None:
        return True
    if not _count(tables["count"], cells, rows, bool(left_out)):
        return False
    return "m2" not in tables.dtype.names or _spread(tables, cells, rows, leaf.skipna)


def _count(counts: Block, cells: Block, rows: _Rows, skips: bool) -> bool:
    """Count the cells of each group that are not NaN, if some are; False where NumPy has to."""
    if not skips:
        leaves_groups = counts.shape[: rows.rank + 1]
        sizes = np.bincount(rows.numbers, minlength=prod(leaves_groups))
        counts[...] = sizes.reshape(*leaves_groups, *[1] * (counts.ndim - rows.rank - 1))
        return True
    is_counted = cells == cells
    native = _kernel("add", is_counted, counts.dtype, skipna=False)
    if native is None:
        return False
    counts[...] = 0
    rows.fold(native, is_counted, counts, counts)
    return True


def _spread(tables: Block, cells: Block, rows: _Rows, skipna: bool) -> bool:
    """Make means of sums, and add squares of deviations from them; False where NumPy has to."""
    means, squares = tables["mean"], tables["m2"]
    native = _kernel("add squares", cells, squares.dtype, skipna)
    if native is None or means.dtype != squares.dtype:
        return False
    means /= np.maximum(tables["count"], 1).astype(squares.dtype)
    squares[...] = 0
    rows.fold(native, cells, squares, means)
    return True


@lru_cache(maxsize=16)  # of MOST_ROWS mostly
def in_leaves(shape: tuple[int, ...], sides: tuple[int, ...]) -> tuple[Block, Block]:
    """The leaf of each cell of a box that begins on one, leaf by leaf, and the cell's place.

    Examples
    --------
    >>> [found.tolist() for found in in_leaves((2, 3), (2, 2))]
    [[0, 0, 0, 0, 1, 1], [0, 1, 3, 4, 2, 5]]
    """
    grid = [-(-n // side) for n, side in zip(shape, sides, strict=True)]
    along = [np.arange(n) // side for n, side in zip(shape, sides, strict=True)]
    leaves = np.ravel_multi_index(np.ix_(*along), grid).reshape(-1)
    places = np.argsort(leaves, kind="stable")
    return leaves[places], places


def _starts(cells: Block, rank: int) -> Block:
    """Where each cell of the first axes lies, in cells from the first one on."""
    at = np.zeros(cells.shape[:rank], np.int64)
    for axis, (n, step) in enumerate(zip(at.shape, cells.strides[:rank], strict=True)):
        at += (np.arange(n) * (step // cells.itemsize)).reshape(-1, *[1] * (rank - 1 - axis))
    return at.reshape(-1)


def _fold(
    native: Native, cells: Block, rows: Block, starts: Block, table: Block, means: Block
) -> int:
    """Fold rows of cells that begin at `starts` into rows of a table; how many were left out.

    The last axis of all is that of the columns; the table's rows lie as far from each other as
    those along its last axis but one, and means as states do.
    """
    width, left_out = cells.shape[-1], np.zeros(1, np.int64)
    row, column = (step // table.itemsize for step in table.strides[-2:])
    room = (prod(table.shape[:-1]) - 1) * row + (width - 1) * column + 1
    blocks = map(address, (cells, starts, rows, table, means, left_out))
    native(*blocks, len(starts), width, cells.strides[-1] // cells.itemsize, row, column, room)
    return int(left_out[0])
