import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.errors import ShapeError


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
