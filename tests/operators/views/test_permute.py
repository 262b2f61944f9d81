import pytest

import dask_tapestry as dt
from dask_tapestry.errors import AxisError, ShapeError
from dask_tapestry.operators.views.permute import move_to_last, permute

X = dt.ones((2, 3, 4), dims=("a", "b", "c")).node


def test_dimensions_go_with_their_names():
    moved = permute(X, (2, 0, -2))
    assert moved.type.shape == (4, 2, 3)
    assert moved.type.dims == ("c", "a", "b")


def test_no_axes_reverse_and_the_identity_is_nothing():
    assert permute(X).type.shape == (4, 3, 2)
    assert permute(X, (0, 1, 2)) is X


@pytest.mark.parametrize(
    ("axes", "error"), [((0, 1), ShapeError), ((0, 0, 1), ShapeError), ((0, 1, 3), AxisError)]
)
def test_what_is_no_permutation_is_refused(axes, error):
    with pytest.raises(error):
        permute(X, axes)


def test_a_dimension_moves_to_the_end():
    assert move_to_last(X, 0).type.shape == (3, 4, 2)
    assert move_to_last(X, -1) is X
    with pytest.raises(AxisError, match="axisa"):
        move_to_last(X, 3, "axisa")
