import pytest

import dask_tapestry as dt
from dask_tapestry.errors import AxisError, ShapeError
from dask_tapestry.operators.views.reverse import reverse

X = dt.ones((2, 0, 4), dims=("a", "b", "c")).node


def test_the_type_stays():
    assert reverse(X).type == reverse(X, (0, -1)).type == X.type


def test_twice_is_nothing():
    x = dt.ones((2, 3)).node
    view = reverse(x).operator.view(x.type)
    assert view.composed_with(view).is_identity((2, 3))


@pytest.mark.parametrize(("axes", "error"), [(3, AxisError), ((0, 0), ShapeError)])
def test_axes_that_are_not_there_are_refused(axes, error):
    with pytest.raises(error):
        reverse(X, axes)
