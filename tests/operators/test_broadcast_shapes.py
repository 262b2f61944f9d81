import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dask_tapestry.errors import ShapeError
from dask_tapestry.operators.broadcast_shapes import broadcast_shape

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
