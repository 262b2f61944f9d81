import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.errors import ShapeError
from dask_tapestry.operators.views.broadcast import broadcast_shape

SHAPES = st.lists(st.lists(st.sampled_from([0, 1, 2, 3]), max_size=3).map(tuple), min_size=1)


@given(SHAPES)
def test_shapes_broadcast_as_numpys(shapes):
    try:
        expected = np.broadcast_shapes(*shapes)
    except ValueError:
        with pytest.raises(ShapeError, match="these could not be broadcast together"):
            broadcast_shape(shapes, "these")
    else:
        assert broadcast_shape(shapes) == expected


@pytest.mark.parametrize("shape", [(), (2,), (4, 2), (3, 2, 1)])
def test_a_shape_that_does_not_fit_is_refused(shape):
    with pytest.raises(ShapeError, match=r"float64\[2, 3\] cannot be broadcast"):
        dt.broadcast_to(dt.ones((2, 3)), shape)


def test_the_same_shape_is_the_same_value():
    x = dt.ones((2, 3))
    assert dt.broadcast_to(x, (2, 3)).node is x.node


def test_repeated_cells_are_read_again():
    repeated = dt.broadcast_to(dt.asarray(np.ones((1, 3))), (2, 3)).node.operator
    assert repeated.view(dt.ones((1, 3)).node.type).reads_once(()) == (False,)
