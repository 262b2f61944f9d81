from itertools import permutations

import numpy as np
import pytest
from hypothesis import given

from dask_tapestry.zspace import ZPoint
from dask_tapestry.zspace.point_iteration import axis_order, iterate_points

from .strategies import NDIM, ranges


def sides(box):
    return [range(lo, hi) for lo, hi in zip(box.lo, box.hi, strict=True)]


@given(NDIM.flatmap(ranges))
def test_every_order_visits_as_numpy_does(box):
    for order in permutations(range(box.ndim)):
        # ndindex walks the axes in C order: walk the permuted shape, then put the axes back.
        walked = [np.array(p, dtype=int) for p in np.ndindex(*[box.shape[k] for k in order])]
        expected = [tuple(p[np.argsort(order)] + np.array(box.lo, dtype=int)) for p in walked]
        assert list(iterate_points(sides(box), order)) == expected


@given(NDIM.flatmap(ranges))
def test_c_and_f(box):
    points = list(iterate_points(sides(box)))
    assert points == sorted(points)
    assert list(iterate_points(sides(box), "F")) == sorted(points, key=lambda p: p[::-1])
    assert all(type(p) is ZPoint for p in [*points, *iterate_points(sides(box), "F")])


def test_a_huge_box_is_not_written_out():
    points = iterate_points([range(2**70), range(3), range(-(2**70), 0)], (1, 0, 2))
    assert next(points) == (0, 0, -(2**70))
    assert next(points) == (0, 0, 1 - 2**70)


@pytest.mark.parametrize("order", ["A", "", (0,), (0, 0), (1, 2)])
def test_bad_orders(order):
    with pytest.raises(ValueError, match="order must be"):
        axis_order(order, 2)
