import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.views.joint_windows import JointWindows, WindowAxis, window_taken
from dask_tapestry.teg import Graph, apply
from dask_tapestry.teg.check import check
from dask_tapestry.teg.outputs import windows_of
from dask_tapestry.zspace import ZRange
from tests.operators.blocks import block

ROWS = np.arange(50.0).reshape(10, 5)
SUMS = np.arange(4.0)


def together():
    """Windows of three rows, of which the first tile lacks one, and one sum for each tile."""
    rows, sums = dt.asarray(ROWS).node, dt.asarray(SUMS).node
    windows = (WindowAxis(0, 3, 1), WindowAxis(None, 5)), (WindowAxis(0, 1),)
    return apply(JointWindows((4,), windows, ("w0", "w1")), rows, sums)


def test_each_tile_takes_a_window_of_each_value():
    node = together()
    check(Graph([node]))
    assert str(node.type) == "(w0 float64[3, 5], w1 float64)[4]"
    demand = node.operator.demand(node.input_types, ZRange((1,), (3,)))
    assert [str(box) for box in demand] == ["[2:8, 0:5]", "[1:3]"]


@pytest.mark.parametrize("box", [(0, 4), (0, 1), (1, 3), (3, 4)], ids=str)
def test_windows_are_the_cells_of_their_values(box):
    node, (lo, hi) = together(), box
    made = block(node, (ROWS, SUMS), ZRange((lo,), (hi,)))
    first, end = max(0, 3 * lo - 1), min(10, 3 * hi - 1)
    own = made["w0"][first - (3 * lo - 1) :][: end - first]
    assert np.array_equal(own, ROWS[first:end])
    assert np.array_equal(made["w1"], SUMS[lo:hi])


def test_a_whole_value_is_taken_again():
    node = together()
    assert [window_taken(node, n, x.type.shape).type.shape for n, x in enumerate(node.inputs)] == [
        (10, 5),
        (4,),
    ]
    assert [one.name for one in windows_of(node.type)] == ["w0", "w1"]
