from itertools import product

import pytest

from dask_tapestry.zspace.axes import exact_axis, exact_permutation, same_ndim


def test_axis_inside():
    assert [exact_axis(k, 3) for k in range(3)] == [0, 1, 2]


@pytest.mark.parametrize("axis", [-1, 3, 2**70])
def test_axis_outside(axis):
    with pytest.raises(ValueError, match="dim must be at least 0 and below 3"):
        exact_axis(axis, 3, "dim")


def test_permutations_of_three_axes():
    good = [p for p in product(range(-1, 4), repeat=3) if sorted(p) == [0, 1, 2]]
    assert [exact_permutation(p, 3) for p in good] == good
    for order in set(product(range(-1, 4), repeat=3)) - set(good):
        with pytest.raises(ValueError, match="permutation of 3 axes"):
            exact_permutation(order, 3)


def test_same_ndim():
    same_ndim(2, 2, "point")
    with pytest.raises(ValueError, match="point has 1 dimensions where 2 are expected"):
        same_ndim(1, 2, "point")
