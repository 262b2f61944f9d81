import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.tuning import MOST_READ_APART
from dask_tapestry.operators.views.steps import Steps
from dask_tapestry.teg import apply
from dask_tapestry.zspace import ZRange
from tests.operators.blocks import block, by_blocks

CELLS = np.arange(40 * 6).reshape(40, 6)


@pytest.mark.parametrize(
    ("axis", "start", "step", "count"), [(0, 3, 7, 5), (1, 0, 2, 3), (0, 39, 9, 1)]
)
@pytest.mark.parametrize("size", [1, 2, 40])
def test_every_cut_has_the_cells_of_the_view(axis, start, step, count, size):
    node = apply(Steps(axis, start, step, count), dt.asarray(CELLS).node)
    expected = np.take(CELLS, start + step * np.arange(count), axis)
    np.testing.assert_array_equal(node.operator.reference(CELLS), expected)
    np.testing.assert_array_equal(by_blocks(node, (CELLS,), size), expected)
    out = np.asfortranarray(np.empty_like(expected))
    assert block(node, (CELLS,), node.type.box, out) is out
    np.testing.assert_array_equal(out, expected)


def test_each_cell_is_read_alone_if_they_are_not_many():
    x = dt.placeholder((10**6, 4), "f4").node
    node = apply(Steps(0, 5, 100, 10**4 - 1), x)
    few, many = (ZRange((10, 1), (10 + n, 3)) for n in (MOST_READ_APART, MOST_READ_APART + 1))
    found = [need for _, need in node.operator.pieces(node.input_types, few)]
    assert found[:2] == [ZRange((1005, 1), (1006, 3)), ZRange((1105, 1), (1106, 3))]
    assert len(found) == MOST_READ_APART
    end = 1005 + 100 * MOST_READ_APART + 1
    assert node.operator.pieces(node.input_types, many) == ((0, ZRange((1005, 1), (end, 3))),)
    empty = ZRange((3, 0), (3, 4))
    assert node.operator.pieces(node.input_types, empty)[0][1].is_empty


def test_a_part_is_a_view_of_fewer_cells():
    node = apply(Steps(0, 3, 7, 5), dt.asarray(CELLS).node)
    np.testing.assert_array_equal(dt.Array(node)[3:0:-2, 1].compute(), CELLS[24:3:-14, 1])
