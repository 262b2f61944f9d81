import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.errors import AxisError, ShapeError
from dask_tapestry.operators.views.unsqueeze import unsqueeze

X = dt.ones((2, 3), dims=("a", "b")).node


@pytest.mark.parametrize("axes", [0, -1, (0, 2), (1, -1), (), range(4), range(2, 6)])
def test_axes_count_in_the_result(axes):
    numpys = axes if isinstance(axes, int) else tuple(axes)
    assert unsqueeze(X, axes).type.shape == np.expand_dims(np.ones((2, 3)), numpys).shape


def test_new_axes_have_no_name():
    assert unsqueeze(X, (0, 2)).type.dims == (None, "a", None, "b")


@pytest.mark.parametrize(("axes", "error"), [(3, AxisError), ((0, 0), ShapeError)])
def test_axes_that_are_not_there_are_refused(axes, error):
    with pytest.raises(error):
        unsqueeze(X, axes)
