"""Sums by group in compiled loops: rows of cells are added to the row of their group, in order.

Of all leaves of a block at once, each row of cells goes into the table of its leaf: what is summed
there has the bits of a leaf that is summed alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import prod
from typing import Any, Final, NamedTuple

import numpy as np

from dask_tapestry_kernels.cpu.jit.compile_service import Native, compiled
from dask_tapestry_kernels.cpu.jit.memory_layout import address, storage

Block = np.ndarray[Any, Any]

SMALL: Final = 4096  # cells; fewer are not worth a call
ARITY: Final = 11
WAYS: Final = 4  # columns that are added side by side, lest one waits for the sum before
LEAST_COLUMNS: Final = 8  # beside which rows' places take little
MOST_ROWS: Final = 2**15  # whose places are in memory at a time: half a MiB

SOURCE: Final = """\
import numpy as np
from numba import carray, njit
from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import pointer


def add(values, starts, numbers, table, found, rows, width, apart, row, column, sums_held):
    start = carray(pointer(starts), (rows,), np.int64)
    number = carray(pointer(numbers), (rows,), np.int64)
    sums = carray(pointer(table), (sums_held,), np.{state})
    left_out = np.int64(0)
    if apart == 1 and column == 1:
        for r in range(rows):
            own = carray(pointer(values + start[r] * {item}), (width,), np.{cell})
            into = carray(pointer(table + number[r] * row * {size}), (width,), np.{state})
            for c in range(width):
                v = own[c]
                left_out += np.int64({skipped})
                into[c] += {added}
    elif apart == 1:
        for r in range(rows):
            own = carray(pointer(values + start[r] * {item}), (width,), np.{cell})
            to = number[r] * row
            for c in range(width):
                v = own[c]
                left_out += np.int64({skipped})
                sums[np.uint64(to + c * column)] += {added}
    else:
        whole = width // {ways} * {ways}
        for lead in range(0, whole, {ways}):
            for r in range(rows):
                at = values + (start[r] + lead * apart) * {item}
                to = number[r] * row + lead * column
                for way in range({ways}):
                    v = carray(pointer(at + way * apart * {item}), (1,), np.{cell})[0]
                    left_out += np.int64({skipped})
                    sums[np.uint64(to + way * column)] += {added}
        for c in range(whole, width):
            for r in range(rows):
                v = carray(pointer(values + (start[r] + c * apart) * {item}), (1,), np.{cell})[0]
                left_out += np.int64({skipped})
                sums[np.uint64(number[r] * row + c * column)] += {added}
    carray(pointer(found), (1,), np.int64)[0] += left_out


kernel = njit("void({arguments})", nogil=True, error_model="numpy")(add)
"""


@lru_cache(maxsize=64)
def source(cell: np.dtype[Any], state: np.dtype[Any], skipna: bool) -> str | None:
    """The text of a module that adds cells of a dtype to sums of another; None where NumPy has to.

    With `skipna` zero is added for NaN.
    """
    if not _is_added(cell) or not _is_added(state) or state.kind == "b":
        return None
    skips = skipna and cell.kind == "f"
    value = f"np.{state.name}(v)"
    return SOURCE.format(
        cell=storage(cell), item=cell.itemsize, state=state.name, size=state.itemsize, ways=WAYS,
        skipped="v != v" if skips else "0",
        added=f"({value} if v == v else np.{state.name}(0))" if skips else value,
        arguments=", ".join(["int64"] * ARITY),
    )  # fmt: skip


def _is_added(dtype: np.dtype[Any]) -> bool:
    return dtype.kind in "biuf" and dtype.char not in "eg" and dtype.isnative


def _kernel(cells: Block, state: np.dtype[Any], skipna: bool) -> Native | None:
    """What adds such cells; None where NumPy has to."""
    if cells.size < SMALL or any(step % cells.itemsize for step in cells.strides):
        return None
    text = source(cells.dtype, state, skipna)
    return None if text is None else compiled(text, ARITY, "sums by group", cells.size)


def add_rows(values: Block, numbers: Block, table: Block, skipna: bool) -> int | None:
    """Add rows of cells to rows of sums, in order; how many cells were left out of them.

    None where NumPy has to, and nothing is done.

    Parameters
    ----------
    values
        Cells, shaped (rows, columns); those of a row or of a column may lie apart.
    numbers
        The row of the table that each goes into.
    table
        Sums, shaped (groups, columns).
    """
    native = _kernel(values, table.dtype, skipna)
    if native is None or not table.size:
        return None
    starts = np.arange(len(values)) * (values.strides[0] // values.itemsize)
    return _add(native, values, np.ascontiguousarray(numbers, np.int64), starts, table)


class LeafTables(NamedTuple):
    """Tables of leaves, shaped (leaves..., groups, kept...), one after the other in memory.

    `counts` are of the cells that are summed; None where these are not counted.
    """

    sums: Block
    counts: Block | None

    def turned(self, axes: Sequence[int]) -> LeafTables:
        """With axes in another order."""
        counts = None if self.counts is None else self.counts.transpose(axes)
        return LeafTables(self.sums.transpose(axes), counts)

    def of(self, leaves: slice) -> LeafTables:
        """Those of some leaves along the first axis."""
        return LeafTables(self.sums[leaves], None if self.counts is None else self.counts[leaves])


def fill_leaves(
    cells: Block,
    codes: Block,
    groups: range,
    sides: Sequence[int],
    tables: LeafTables,
    skipna: bool,
) -> bool:
    """Fill the tables of all leaves of a block; False where that is done leaf by leaf.

    Parameters
    ----------
    cells
        The folded axes first, then those that are kept.
    codes
        The group of each cell along the folded axes; others than `groups` are left out.
    sides
        Of a leaf.
    """
    rank = codes.ndim
    kept = sorted(range(rank, cells.ndim), key=lambda axis: -abs(cells.strides[axis]))
    native = _kernel(cells, tables.sums.dtype, skipna)
    columns = cells.shape[kept[-1]] if kept else 1
    if native is None or columns < LEAST_COLUMNS or not tables.sums.size:
        return False
    cells = cells.transpose(*range(rank), *kept)
    tables = tables.turned((*range(rank + 1), *[axis + 1 for axis in kept]))
    layers = max(1, MOST_ROWS // max(1, sides[0] * prod(codes.shape[1:])))
    bands = -(-len(tables.sums) // layers)
    if bands * prod(cells.shape[rank:-1]) > prod(tables.sums.shape[:rank]):
        return False  # leaf by leaf takes fewer calls: 16 ms in place of 22 for 12 maps
    for first in range(0, len(tables.sums), layers):
        cut = slice(first * sides[0], (first + layers) * sides[0])
        some = tables.of(slice(first, first + layers))
        if not _fill_some(native, cells[cut], codes[cut], groups, tuple(sides), some):
            return False
    return True


def _fill_some(
    native: Native,
    cells: Block,
    codes: Block,
    groups: range,
    sides: tuple[int, ...],
    tables: LeafTables,
) -> bool:
    """Fill the tables of some leaves, whose rows are taken leaf by leaf."""
    sums, counts = tables
    rank, count = codes.ndim, len(groups)
    leaves, places = in_leaves(codes.shape, sides)
    own = codes.reshape(-1)[places].astype(np.int64) - groups.start
    held = (own >= 0) & (own < count)
    rows, places = (leaves * count + own)[held], places[held]

    def added(native: Native, cells: Block, table: Block) -> int:
        table[...], left_out = 0, 0
        starts = _starts(cells, rank)[places]
        for kept in np.ndindex(*cells.shape[rank:-1]):
            column = (*[slice(None)] * rank, *kept)
            into = table[(slice(None), *column)]
            left_out += _add(native, cells[column], rows, starts, into)
        return left_out

    left_out = added(native, cells, sums)
    if counts is None:
        return True
    if not left_out:
        sizes = np.bincount(rows, minlength=prod(sums.shape[: rank + 1]))
        counts[...] = sizes.reshape(*sums.shape[: rank + 1], *[1] * (sums.ndim - rank - 1))
        return True
    is_counted = cells == cells
    counting = _kernel(is_counted, counts.dtype, skipna=False)
    return counting is not None and added(counting, is_counted, counts) == 0


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


def _add(native: Native, cells: Block, rows: Block, starts: Block, table: Block) -> int:
    """Add rows of cells that begin at `starts` to rows of a table; how many cells were left out.

    The last axis of both is that of the columns; the table's rows lie as far from each other as
    those along its last axis but one.
    """
    width, left_out = cells.shape[-1], np.zeros(1, np.int64)
    row, column = (step // table.itemsize for step in table.strides[-2:])
    room = (prod(table.shape[:-1]) - 1) * row + (width - 1) * column + 1
    blocks = map(address, (cells, starts, rows, table, left_out))
    native(*blocks, len(starts), width, cells.strides[-1] // cells.itemsize, row, column, room)
    return int(left_out[0])
