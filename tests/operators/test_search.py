import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.errors import DTypeError, ShapeError
from dask_tapestry.operators.search import (
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
    with pytest.raises(ShapeError, match="side"):
        searchsorted(vector, vector, "middle")
    with pytest.raises(DTypeError, match="cannot be compared"):
        common_dtype(vector, dt.asarray(np.array(["2020"], "M8[Y]")).node)
