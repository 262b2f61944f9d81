import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.core.selection import Selection, selection_of


def test_unselected_cells_become_ones_where_they_must_do_no_harm():
    x, mask = dt.asarray([[0.0, 2.0], [3.0, 0.0]]), dt.asarray([True, False])
    harmless = dt.Array(Selection(x.node, mask.node, 1).harmless)
    assert harmless.compute().tolist() == [[0.0, 1.0], [3.0, 1.0]]


def test_a_mask_is_broadcast_along_its_dimension():
    x, mask = dt.ones((2, 3)), dt.asarray([True, False, True])
    where = dt.Array(Selection(x.node, mask.node, 1).where)
    assert where.compute().tolist() == 2 * [[True, False, True]]


@pytest.mark.parametrize("of_them", [True, False])
def test_lines_are_counted_first_unless_the_mask_is_made_of_them(of_them):
    x, other = dt.asarray(np.arange(6.0).reshape(3, 2)), dt.asarray(np.arange(3.0))
    mask = (x[:, 0] if of_them else other) > 1
    made = selection_of(x[::-1].node, 0, mask.node)
    assert (made is not None) is of_them


def test_cells_without_a_one_are_counted_first():
    x = dt.asarray(np.array(["a", "b"]))
    assert selection_of(x.node, 0, (x == "a").node) is None
