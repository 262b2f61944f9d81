from contextlib import nullcontext

import numpy as np
import pytest

from dask_tapestry.operators.cells.cell_updates import cell_update
from dask_tapestry_kernels.cpu import KERNELS
from dask_tapestry_kernels.cpu.blocks.shuffle import by_owner
from dask_tapestry_kernels.unread_cells import UnreadCells

ALL = (slice(None), slice(None))
PLACES = np.array([5, 0, -1, 4, 1, 5, 2])
DIVIDED = {"length": 4, "owners": 3, "side": 2}
TABLE = np.arange(12.0).reshape(6, 2)


def routed():
    return KERNELS["route"](None, PLACES, count=2, keep=ALL, **DIVIDED)


def test_places_are_ordered_by_owner():
    order, ends = by_owner(PLACES, 3, 2)
    assert order.tolist() == [2, 1, 4, 6, 0, 3, 5]
    assert ends == [1, 3, 4, 7]
    many = by_owner(np.array([70_000, 3]), 80_000, 1)
    assert many[0].tolist() == [1, 0]


def test_requests_are_counted_from_the_owners_first_row():
    found = [[bucket.tolist() for bucket in row] for row in routed().cells]
    assert found == [[[0], [], [1, 0]], [[1], [0], [1]]]
    part = KERNELS["route"](None, PLACES, count=2, keep=(slice(1, 2), slice(2, 3)), **DIVIDED)
    assert part.shape == (1, 1)


def test_rows_are_served_and_given_back():
    places = np.where(PLACES < 0, 0, PLACES)
    requests = KERNELS["route"](None, places, count=2, keep=ALL, **DIVIDED)
    answers = KERNELS["serve"](None, requests, TABLE, side=2, keep=ALL)
    made = KERNELS["giveback"](
        None, answers, places, row=(2,), dtype=TABLE.dtype, keep=ALL, **DIVIDED
    )
    np.testing.assert_array_equal(made[:7], TABLE[places])
    np.testing.assert_array_equal(made[7:], 0)


def test_owners_answer_for_the_places_that_they_have():
    told = {"runs": 2, "length": 4, "side": 2, "keep": ALL}
    answers = KERNELS["answer"](None, PLACES, TABLE, first=0, **told)
    requests = routed()
    served = KERNELS["serve"](None, requests, TABLE, side=2, keep=ALL)
    last = KERNELS["answer"](None, PLACES, TABLE[4:], first=2, **told)
    for run, owner in np.ndindex(2, 3):
        rows = answers.cells[run, owner]
        np.testing.assert_array_equal(rows, served.cells[run, owner])
        if owner == 2:
            np.testing.assert_array_equal(last.cells[run, 0], rows)


@pytest.mark.parametrize("kernel", ["serve", "answer"])
@pytest.mark.parametrize("is_plain", [False, True])
def test_of_stored_rows_those_are_read_that_are_asked_for(kernel, is_plain):
    """Owners of which no row is asked for read nothing; of decoded chunks all are read at once."""
    table = np.arange(24.0).reshape(12, 2)
    places = np.array([7, 1, -1, 6, 1, 7])
    read = []

    def reading(spans):
        read.append(spans[0])
        return table[tuple(slice(*span) for span in spans)]

    opening = nullcontext if is_plain else None
    stored = UnreadCells.of(table.shape, table.dtype, reading, opening=opening)
    told = {"length": 3, "side": 3, "keep": ALL}
    if kernel == "serve":
        asked = KERNELS["route"](None, places, count=2, owners=4, **told)
        made, rows = (KERNELS[kernel](None, asked, x, side=3, keep=ALL) for x in (stored, table))
    else:
        made, rows = (
            KERNELS[kernel](None, places, x, first=0, runs=2, **told) for x in (stored, table)
        )
    assert read == ([(1, 2), (6, 8)] if is_plain else [(1, 8)])
    for run, owner in np.ndindex(2, 4):
        np.testing.assert_array_equal(made.cells[run, owner], rows.cells[run, owner])
        assert made.cells[run, owner].shape == rows.cells[run, owner].shape


def test_updates_are_folded_run_after_run():
    updates = np.arange(14.0).reshape(7, 2) + 1
    sent = KERNELS["send"](None, PLACES, updates, count=2, keep=ALL, **DIVIDED)
    out = np.empty((6, 2))
    expressions = (cell_update("add", TABLE.dtype),)
    made = KERNELS["foldsent"](
        out, TABLE, routed(), sent, side=2, expressions=expressions, keep=ALL
    )
    expected = TABLE.copy()
    np.add.at(expected, PLACES[PLACES >= 0], updates[PLACES >= 0])
    np.testing.assert_array_equal(made, expected)
    assert np.shares_memory(made, out)


def test_rows_that_the_table_lacks_are_zero():
    requests = KERNELS["route"](None, np.array([4]), count=1, keep=ALL, **DIVIDED)
    sent = KERNELS["send"](None, np.array([4]), np.ones((1, 2)), count=1, keep=ALL, **DIVIDED)
    made = KERNELS["foldsent"](
        None,
        TABLE[:5],
        requests,
        sent,
        side=2,
        expressions=(cell_update("update", TABLE.dtype),),
        keep=ALL,
    )
    assert made[4:].tolist() == [[1, 1], [0, 0]]
