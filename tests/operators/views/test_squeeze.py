import pytest

import dask_tapestry as dt
from dask_tapestry.errors import ShapeError
from dask_tapestry.operators.views.squeeze import squeeze

X = dt.ones((1, 3, 1), dims=("a", "b", "c")).node


def test_axes_of_length_one_go_with_their_names():
    assert squeeze(X).type.dims == ("b",)
    assert squeeze(X, -1).type.shape == (1, 3)
    assert squeeze(X, ()) is X


def test_longer_axes_are_refused():
    with pytest.raises(ShapeError, match=r"cannot squeeze axes \[1\]"):
        squeeze(X, (0, 1))
