"""SparseRows: a sparse matrix by rows, each row's cells once and by ascending column."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dask_tapestry.errors import ArgumentError, ShapeError

Cells = np.ndarray[Any, Any]


class SparseRows(NamedTuple):
    """The cells of a sparse matrix that are written out, row by row.

    Attributes
    ----------
    values
        The cells.
    columns
        The column of each, ascending within a row.
    starts
        Where each row begins among them, and where the last one ends.
    shape
        Rows and columns of the matrix.
    """

    values: Cells
    columns: Cells
    starts: Cells
    shape: tuple[int, int]


def rows_of_cells(values: Cells, rows: Cells, columns: Cells, shape: tuple[int, int]) -> SparseRows:
    """Rows of the cells at (row, column), in any order; those of one place are added up.

    Raises
    ------
    ShapeError
        If there are not as many rows and columns as values, or not in vectors.
    ArgumentError
        If a place lies outside of `shape`.

    Examples
    --------
    >>> found = rows_of_cells(np.array([3, 1, 4]), np.array([1, 0, 1]), np.array([2, 0, 2]), (2, 3))
    >>> found.values, found.columns, found.starts
    (array([1, 7]), array([0, 2], dtype=int32), array([0, 1, 2]))
    """
    if not values.ndim == rows.ndim == columns.ndim == 1:
        raise ShapeError("values, rows and columns of sparse weights are vectors")
    if not values.size == rows.size == columns.size:
        raise ShapeError(
            f"sparse weights of {values.size} values, {rows.size} rows and {columns.size} columns"
        )
    for name, places, extent in (("row", rows, shape[0]), ("column", columns, shape[1])):
        if places.size and not (int(places.min()) >= 0 and int(places.max()) < extent):
            raise ArgumentError(f"a {name} of sparse weights lies outside of their shape {shape}")
    order = np.lexsort((columns, rows))
    values, rows, columns = values[order], rows[order], columns[order]
    if rows.size:
        new = np.concatenate([[True], (np.diff(rows) != 0) | (np.diff(columns) != 0)])
        if not new.all():
            values, rows, columns = _added(values, new), rows[new], columns[new]
    starts = np.zeros(shape[0] + 1, np.int64)
    np.cumsum(np.bincount(rows, minlength=shape[0]), out=starts[1:])
    return SparseRows(values, _narrow(columns, shape[1]), starts, shape)


def rows_of_csr(values: Cells, columns: Cells, starts: Cells, shape: tuple[int, int]) -> SparseRows:
    """Rows of a matrix in compressed sparse rows, whose columns may be in any order.

    Examples
    --------
    >>> import scipy.sparse
    >>> m = scipy.sparse.csr_array(np.array([[0, 2], [3, 4]]))
    >>> rows_of_csr(m.data, m.indices, m.indptr, m.shape).columns
    array([1, 0, 1], dtype=int32)
    """
    end = int(starts[-1])
    values, columns = values[:end], columns[:end]  # more may be kept than is used
    rising = np.ones(max(0, columns.size - 1), bool) if columns.size < 2 else np.diff(columns) > 0
    firsts = starts[(starts > 0) & (starts < end)]
    rising[firsts - 1] = True
    if rising.all():
        starts = starts.astype(np.int64, copy=False)
        return SparseRows(values, _narrow(columns, shape[1]), starts, shape)
    rows = np.repeat(np.arange(shape[0]), np.diff(starts))
    return rows_of_cells(values, rows, columns, shape)


def _added(values: Cells, new: Cells) -> Cells:
    """The values of each place added up in their order; of truths, whether any is true."""
    found = values[new]
    places = np.cumsum(new)[~new] - 1
    add = np.logical_or if values.dtype.kind == "b" else np.add
    add.at(found, places, values[~new])
    return found


def _narrow(columns: Cells, count: int) -> Cells:
    """Columns in as few bytes as they need: they are read as often as the values."""
    return columns.astype(np.int32 if count <= 2**31 else np.int64, copy=False)
