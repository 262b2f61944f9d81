import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.errors import AxisError, ShapeError


def test_dtypes_are_promoted_before_they_are_joined():
    joined = dt.concatenate([dt.ones(2, "i1"), dt.ones(2, "f4")])
    assert joined.dtype == "f4"
    assert [x.type.dtype.name for x in joined.node.inputs] == ["float32", "float32"]


def test_one_array_is_itself():
    x = dt.asarray(np.ones(3))
    assert dt.concatenate([x]).node is x.node


@pytest.mark.parametrize(
    ("shapes", "axis", "error"),
    [
        ([], 0, ShapeError),
        ([()], 0, ShapeError),
        ([(2, 3), (2, 4)], 0, ShapeError),
        ([(2, 3), (2,)], 0, ShapeError),
        ([(2, 3)], 2, AxisError),
    ],
)
def test_what_cannot_be_joined_is_refused(shapes, axis, error):
    with pytest.raises(error):
        dt.concatenate([dt.ones(s) for s in shapes], axis)


def test_a_block_demands_of_each_input_what_it_holds():
    x = dt.concatenate([dt.ones((3, 2)), dt.ones((1, 2)), dt.ones((4, 2))]).node
    for lo in range(9):
        for hi in range(lo, 9):
            box = x.type.box.replace(0, lo, hi)
            rows = [need.shape[0] for need in x.operator.demand(x.input_types, box)]
            owners = [0, 0, 0, 1, 2, 2, 2, 2][lo:hi]
            assert rows == [owners.count(k) for k in range(3)]


def test_a_block_demands_cells_where_they_lie_in_each_input():
    lengths = (0, 2, 2, 0, 3, 2, 0)
    x = dt.concatenate([dt.ones((4, n)) for n in lengths], axis=1).node
    cells = [(number, at) for number, n in enumerate(lengths) for at in range(n)]
    for lo in range(len(cells) + 1):
        for hi in range(lo, len(cells) + 1):
            box = x.type.box.replace(0, 1, 3).replace(1, lo, hi)
            needs = x.operator.demand(x.input_types, box)
            found = [
                (k, at) for k, need in enumerate(needs) for at in range(need.lo[1], need.hi[1])
            ]
            assert found == cells[lo:hi]
            for need, own in zip(needs, x.input_types, strict=True):
                assert own.box.contains(need)
                assert (need.lo[0], need.hi[0]) == (1, 3)
