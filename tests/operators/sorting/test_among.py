import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.sorting.among import Among, among_unsorted
from dask_tapestry.operators.sorting.search import is_in, searchsorted
from dask_tapestry.teg import apply

CELLS = np.array([[0.5, 2, 9], [np.nan, -1, 2]])
TABLE = np.array([3.0, 2, np.nan, 0.5, 2, 4])


@pytest.mark.parametrize("answer", ["left", "right", "within"])
def test_the_kernel_has_the_cells_of_the_reference(answer):
    operator = Among(answer)
    node = apply(operator, dt.asarray(CELLS).node, dt.asarray(TABLE).node)
    expected = operator.reference(CELLS, TABLE)
    assert node.type.dtype == expected.dtype
    found = dt.Array(node).compute()
    np.testing.assert_array_equal(found, expected)


def test_tables_need_no_order_where_cells_have_keys():
    x, table = dt.asarray(CELLS).node, dt.asarray(np.tile(TABLE, 9000)).node
    searches = [searchsorted(x, table, "right"), is_in(x, table), is_in(x, table, invert=True)]
    objects = dt.asarray(np.array(["a", "b"], object)).node
    assert among_unsorted(is_in(objects, objects), objects) is None
    for one in searches:
        made = among_unsorted(one, table)
        assert made is not None
        assert made.type == one.type


def test_a_block_has_room_for_the_table_in_order():
    x, table = (dt.zeros(n).node for n in (1000, 10**6))
    node = apply(Among("within"), x, table)
    assert node.operator.scratch_bytes(node.input_types, x.type.box) > 8 * 10**6
