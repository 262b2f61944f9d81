"""Comparisons of parallel patterns: functions of cells, and threads."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.comparisons.table import NUMBERS, Comparison, each, mild

FLOATS = ("f4", "f8")
TABLES = ((3, 4), (1, 1), (4, 6), (0, 2))


def filled(dt: Any, x: Any) -> Any:
    """What lies above the diagonal is filled."""

    def fill(attrs: Any, cell: Any) -> Any:
        row, column = (dt.patterns.iteridx(dim, attrs) for dim in range(2))
        return dt.patterns.select(row >= column, cell, dt.patterns.imm(7, cell.dtype))

    return dt.patterns.zipmapreduce(fill, [x])


def _filled(x: Any) -> Any:
    return np.where(np.tri(*x.shape, dtype=bool), x, x.dtype.type(7))


def distances(dt: Any, x: Any, y: Any) -> Any:
    """The largest difference of each row."""
    return dt.patterns.zipmapreduce(lambda _, x, y: abs(x - y), [x, y], "max", axis=0)


def side_by_side(dt: Any, x: Any) -> Any:
    """Threads of one row each: it is turned round, and its cells are squared."""

    def body(i: Any) -> Any:
        row = dt.extract_slice(x, [i, 0], [1, x.shape[1]])
        turned = dt.extract_slice(x, [x.shape[0] - 1 - i, 0], [1, x.shape[1]])
        return dt.perform_concurrently(
            dt.parallel_insert_slice(turned, x, [i, 0]),
            dt.parallel_insert_slice(row * row, dt.zeros_like(x), [i, 0]),
        )

    return dt.patterns.foreach_thread(body, x.shape[0])


def with_gaps(dt: Any, x: Any) -> Any:
    """Threads that write every other cell of their rows; the others stay."""
    columns = (x.shape[1] + 1) // 2

    def body(i: Any, j: Any) -> Any:
        cell = dt.extract_slice(x, [i, 2 * j], [1, 1])
        part = dt.parallel_insert_slice(cell + cell, x, [i, 2 * j])
        return dt.perform_concurrently(part)

    return dt.patterns.foreach_thread(body, (x.shape[0], columns))


def _with_gaps(x: Any) -> Any:
    made = x.copy()
    made[:, ::2] += x[:, ::2]
    return made


def highest_so_far(dt: Any, x: Any) -> Any:
    """A function that runs along rows."""
    return dt.block_operator(
        index={"row": "parallel", "t": dt.scan_over("max")},
        inputs={"x": "row t"},
        outputs={"z": "row t"},
    )(_highest_so_far)(x)


def _highest_so_far(x: Any) -> Any:
    return np.maximum.accumulate(x, axis=1)


COMPARISONS = (
    Comparison("patterns.zipmapreduce", filled, _filled, each(1, NUMBERS, TABLES)),
    Comparison(
        "patterns.zipmapreduce of differences",
        distances,
        lambda x, y: abs(x - y).max(axis=0),
        each(2, FLOATS, [(3, 4), (7,), (2, 3, 2)], mild),
    ),
    Comparison(
        "extract_slice",
        lambda dt, x: dt.extract_slice(x, [0, 1], [x.shape[0], 2], [1, 2]),
        lambda x: x[:, 1:4:2],
        each(1, NUMBERS, [(3, 4), (1, 5)]),
    ),
    Comparison(
        "perform_concurrently",
        side_by_side,
        lambda x: (x[::-1], x * x),
        each(1, ["i8", "f4", "f8"], TABLES),
    ),
    Comparison("parallel_insert_slice", with_gaps, _with_gaps, each(1, ["i8", "f4", "f8"], TABLES)),
    Comparison("scan_over", highest_so_far, _highest_so_far, each(1, ["i8", "f8"], TABLES, mild)),
)
