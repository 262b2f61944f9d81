"""Sums by group in compiled loops: rows of cells are added to the row of their group, in order."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final, NamedTuple

import numpy as np

from dask_tapestry_kernels.cpu.jit.compile_service import compiled
from dask_tapestry_kernels.cpu.jit.memory_layout import address, storage

Block = np.ndarray[Any, Any]

SMALL: Final = 4096  # cells; fewer are not worth a call
ARITY: Final = 11
WAYS: Final = 4  # columns that are added side by side, lest one waits for the sum before

SOURCE: Final = """\
import numpy as np
from numba import carray, njit
from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import pointer


def add(values, numbers, table, found, rows, width, groups, value_row, value_column, row, column):
    cells = (rows - 1) * value_row + (width - 1) * value_column + 1
    x = carray(pointer(values), (cells,), np.{cell})
    group = carray(pointer(numbers), (rows,), np.int64)
    room = (groups - 1) * row + (width - 1) * column + 1
    sums = carray(pointer(table), (room,), np.{state})
    left_out = np.int64(0)
    if value_column == 1 and column == 1:
        for r in range(rows):
            own = carray(pointer(values + r * value_row * {item}), (width,), np.{cell})
            into = carray(pointer(table + group[r] * row * {size}), (width,), np.{state})
            for c in range(width):
                v = own[c]
                left_out += np.int64({skipped})
                into[c] += {added}
    else:
        whole = width // {ways} * {ways}
        for lead in range(0, whole, {ways}):
            for r in range(rows):
                at, to = r * value_row + lead * value_column, group[r] * row + lead * column
                for way in range({ways}):
                    v = x[np.uint64(at + way * value_column)]
                    left_out += np.int64({skipped})
                    sums[np.uint64(to + way * column)] += {added}
        for c in range(whole, width):
            for r in range(rows):
                v = x[np.uint64(r * value_row + c * value_column)]
                left_out += np.int64({skipped})
                sums[np.uint64(group[r] * row + c * column)] += {added}
    carray(pointer(found), (1,), np.int64)[0] = left_out


kernel = njit("void({arguments})", nogil=True, error_model="numpy")(add)
"""


class Added(NamedTuple):
    """Sums by group, shaped (groups, columns), and how many cells were left out of them."""

    table: Block
    left_out: int


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


def added(
    values: Block, numbers: Block, groups: int, state: np.dtype[Any], skipna: bool
) -> Added | None:
    """The rows of `values` added by group, in order from zero on; None where NumPy has to.

    Parameters
    ----------
    values
        Cells, shaped (rows, columns); those of a row or of a column may lie apart.
    numbers
        The group of each row, int64.
    """
    if values.size < SMALL:
        return None
    text = source(values.dtype, state, skipna)
    native = None if text is None else compiled(text, ARITY, "sums by group", values.size)
    apart = [step // values.itemsize for step in values.strides]
    if native is None or min(apart) < 0 or any(s % values.itemsize for s in values.strides):
        return None
    rows, columns = values.shape
    by_row = apart[1] == 1 or columns == 1
    table = np.zeros((groups, columns), state) if by_row else np.zeros((columns, groups), state).T
    steps = [step // table.itemsize for step in table.strides]
    left_out = np.zeros(1, np.int64)
    group = np.ascontiguousarray(numbers, np.int64)
    blocks = map(address, (values, group, table, left_out))
    native(*blocks, rows, columns, groups, *apart, *steps)
    return Added(table, int(left_out[0]))
