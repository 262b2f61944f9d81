import numpy as np
import pytest

import dask_tapestry as dt
from tests.arrays.parity import refused


@pytest.mark.parametrize(
    "call",
    [
        lambda np, a: np.split(a([1, 2, 3]), 2),
        lambda np, a: np.array_split(a([1, 2, 3]), 0),
        lambda np, a: np.array_split(a([1, 2, 3]), 2, 1),
        lambda np, a: np.hsplit(a(1), 1),
        lambda np, a: np.vsplit(a([1]), 1),
        lambda np, a: np.dsplit(a([[1]]), 1),
        lambda np, a: np.unstack(a(1)),
        lambda np, a: np.unstack(a([1]), axis=1),
        lambda np, a: np.array_split(a([1, 2, 3]), [1.5]),
    ],
)
def test_what_numpy_refuses(call):
    try:
        refused(call)
    except IndexError:  # NumPy says so of an axis that an array has not
        with pytest.raises(dt.AxisError):
            call(dt, dt.asarray)


def test_parts_come_as_numpy_gives_them():
    x = dt.arange(4)
    assert isinstance(np.split(x, 2), list)
    assert isinstance(np.unstack(x), tuple)
