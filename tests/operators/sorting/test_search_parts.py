import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.sorting.search_parts import (
    InterpolatedParts,
    SearchedParts,
    interpolated_by_parts,
    part_counts,
    places_by_parts,
    within_any_part,
)
from dask_tapestry.teg import apply
from dask_tapestry.zspace import ZRange

CELLS, TABLE = np.array([[0.5, 2, 9], [3, -1, 2]]), np.array([0.0, 2, 2, 3, 3, 4, np.nan])


def test_a_block_reads_its_cells_and_its_parts():
    node = apply(SearchedParts("left", 3), dt.asarray(CELLS).node, dt.asarray(TABLE).node)
    assert node.type.shape == (3, 2, 3)
    cells, part = node.operator.demand(node.input_types, ZRange((1, 0, 1), (3, 1, 2)))
    assert cells == ZRange((0, 1), (1, 2))
    assert part == ZRange((3,), (7,)), "the last part is shorter"


@pytest.mark.parametrize("answer", ["left", "right", "within"])
def test_the_kernel_has_the_cells_of_the_reference(answer):
    operator = SearchedParts(answer, 3)
    node = apply(operator, dt.asarray(CELLS).node, dt.asarray(TABLE).node)
    expected = operator.reference(CELLS, TABLE)
    assert node.type.dtype == expected.dtype
    np.testing.assert_array_equal(dt.Array(node).compute(), expected)


@pytest.mark.parametrize("parts", [1, 2, 3, 7])
def test_all_parts_together_tell_what_the_table_does(parts):
    x, table = dt.asarray(CELLS).node, dt.asarray(TABLE).node
    for side in ("left", "right"):
        found = dt.Array(places_by_parts(x, table, side, parts)).compute()
        np.testing.assert_array_equal(found, np.searchsorted(TABLE, CELLS, side))
    found = dt.Array(within_any_part(x, table, parts)).compute()
    np.testing.assert_array_equal(found, np.isin(CELLS, TABLE))


POINTS = np.array([-2.0, -1, -1, 0, 0.5, 0.5, 0.5, 3, 7])
VALUES = np.array([1.0, -0.0, 4, np.inf, np.nan, 2, -3, 5, -0.0])


@pytest.mark.parametrize("parts", [1, 2, 3, 4, 9])
@pytest.mark.parametrize("ends", [(None, None), (-1.0, np.nan)])
def test_points_in_parts_are_those_of_numpy(parts, ends):
    cells = np.array([-9, -2, -1.5, -1, -0.5, 0, 0.25, 0.5, 0.7, 3, 4, 6.9, 7, 8, np.nan, np.inf])
    tensors = [dt.asarray(one).node for one in (cells.reshape(2, 8), POINTS, VALUES)]
    expected = np.interp(cells, POINTS, VALUES, *ends).reshape(2, 8)
    made = interpolated_by_parts(*tensors, ends, parts)
    for block in (8, 40, 10**6):
        with dt.config(block_bytes=block):
            found = dt.Array(made).compute(scheduler="sync")
        np.testing.assert_array_equal(found, expected)
        there = ~np.isnan(expected)
        np.testing.assert_array_equal(np.signbit(found)[there], np.signbit(expected)[there])


def test_a_part_reads_the_first_point_of_the_next_one():
    node = apply(InterpolatedParts(4), *[dt.asarray(x).node for x in (CELLS, POINTS, VALUES)])
    assert node.type.shape == (3, 2, 3)
    _, *tables = node.operator.demand(node.input_types, ZRange((1, 0, 1), (2, 1, 2)))
    assert tables == [ZRange((4,), (9,))] * 2
    _, *last = node.operator.demand(node.input_types, ZRange((2, 0, 1), (3, 1, 2)))
    assert last == [ZRange((8,), (9,))] * 2


def test_points_that_no_worker_can_hold_are_interpolated():
    x, points, values = (dt.placeholder((n,), "f8", (2**20,)) for n in (10**7, 10**8, 10**8))
    few = dt.Resources(2, 1, "500 MB")
    plan = dt.plan(dt.interp(x, points, values).sum(), resources=few)
    assert plan.cost["peak_worker_bytes"] <= 300 * 10**6


def test_short_tables_have_no_parts():
    assert part_counts(0) == part_counts(100) == ()
    assert part_counts(10**9) == (4, 16, 64, 256, 1024)


def test_a_table_that_no_worker_can_hold_is_searched():
    few = dt.Resources(8, 2, "1 GiB")
    x = dt.placeholder((10**9,), "f8", (10**7,))
    table = dt.cumsum(abs(x))
    plan = dt.plan(dt.searchsorted(table / table[-1], [0.25, 0.5]), resources=few)
    assert plan.cost["bytes_read"] < 5 * x.nbytes
    assert plan.cost["peak_worker_bytes"] < 2**30
    inside = dt.plan(dt.isin(x[:100], dt.sort(x)), resources=dt.Resources(16, 2, "3 GiB"))
    assert inside.cost["peak_worker_bytes"] < 3 * 2**30
