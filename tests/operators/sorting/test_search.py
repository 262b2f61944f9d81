import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.errors import ArgumentError, DTypeError, ShapeError
from dask_tapestry.operators.sorting.search import (
    Digitize,
    Interp,
    IsIn,
    SearchSorted,
    common_dtype,
    searchsorted,
)
from dask_tapestry.teg import Region, apply
from dask_tapestry.zspace import ZRange

CELLS, TABLE = np.array([[0.5, 2, 9], [3, -1, 2]]), np.array([0.0, 2, 3])


@pytest.mark.parametrize(
    ("operator", "tables"),
    [
        (SearchSorted("right"), (TABLE,)),
        (Digitize(True), (TABLE,)),
        (IsIn(True), (TABLE,)),
        (Interp(-1.0, None, None), (TABLE, TABLE * 2)),
    ],
)
def test_a_block_reads_its_cells_and_whole_tables(operator, tables):
    node = apply(operator, *[dt.asarray(x).node for x in (CELLS, *tables)])
    cells, *whole = node.operator.demand(node.input_types, ZRange((0, 1), (1, 2)))
    assert cells == ZRange((0, 1), (1, 2))
    assert all(box == ZRange((0,), (3,)) for box in whole)
    region = Region.box(ZRange((0, 1), (1, 2)))
    assert operator.restrict(node.input_types, region).inputs[0] == region
    expected = operator.reference(CELLS, *tables)
    assert np.array_equal(dt.Array(node).compute(), expected)
    assert node.type.dtype == expected.dtype


def test_errors():
    vector, matrix = dt.asarray(TABLE).node, dt.asarray(CELLS).node
    with pytest.raises(ShapeError, match="depth"):
        searchsorted(vector, matrix)
    with pytest.raises(ArgumentError, match="side"):
        searchsorted(vector, vector, "middle")
    with pytest.raises(DTypeError, match="cannot be compared"):
        common_dtype(vector, dt.asarray(np.array(["2020"], "M8[Y]")).node)


@pytest.mark.few(2)  # as unlike as so many can be
@pytest.mark.parametrize("kinds", [("M8[s]", "f8"), ("f8", "m8[s]"), ("i4", "U1"), ("S1", "M8[D]")])
def test_where_nothing_is_compared_cells_need_not_be_comparable(kinds):
    one, other = (np.zeros(2, kind) for kind in kinds)
    for table, cells in ((one, other[:0]), (one[:0], other), (one[:0], other[:0])):
        found = dt.searchsorted(dt.asarray(table), dt.asarray(cells)).compute()
        np.testing.assert_array_equal(found, np.searchsorted(table, cells))
        assert found.dtype == np.intp
    with pytest.raises(TypeError, match="compare"):
        dt.searchsorted(dt.zeros(1, "M8[s]"), dt.zeros(1))
