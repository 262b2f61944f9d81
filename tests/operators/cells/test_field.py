import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.cells.field import field
from dask_tapestry.teg import Progression, Region
from tests.operators.blocks import by_blocks, on_region

CELLS = np.zeros((3, 4), [("a", "i4"), ("b", "f8", (2, 5))])
CELLS["a"] = np.arange(12).reshape(3, 4)
CELLS["b"] = np.arange(120.0).reshape(3, 4, 2, 5)


def source():
    return dt.map_blocks(lambda x: CELLS, dt.ones((3, 4)), dtype=CELLS.dtype).node


@pytest.mark.parametrize("name", ["a", "b"])
@pytest.mark.parametrize("step", [1, 2, 9])
def test_a_field_block_by_block(name, step):
    node = field(source(), name)
    assert (node.type.shape, node.type.dtype) == (CELLS[name].shape, CELLS[name].dtype)
    assert np.array_equal(by_blocks(node, (CELLS,), step), CELLS[name])


def test_a_region_keeps_the_axes_of_a_cell_whole():
    node = field(source(), "b")
    one = Progression(1, 1, 2)
    made, yields = on_region(node, (CELLS,), Region([one, one, Progression(0, 1, 1), one]))
    assert np.array_equal(made, CELLS["b"][1:3, 1:3])
    assert yields[2:] == (Progression(0, 1, 2), Progression(0, 1, 5))


def test_axes_of_a_cell_are_computed_as_a_whole():
    assert field(source(), "b").operator.granularity((source().type,)) == (1, 1, 0, 0)
    assert field(source(), "a").operator.granularity((source().type,)) == ()
