import numpy as np
import pytest

import dask_tapestry as dt
from tests.arrays.parity import refused

CELLS = np.arange(24).reshape(2, 3, 4)


@pytest.mark.parametrize(
    "call",
    [
        lambda np, a: np.broadcast_to(a(CELLS), (3, 4)),
        lambda np, a: np.broadcast_to(a([1]), -1),
        lambda np, a: np.broadcast_arrays(a([1, 2]), a([1, 2, 3])),
        lambda np, a: np.broadcast_shapes((1, 2), (3, 1), (3, 3)),
    ],
)
def test_what_numpy_refuses(call):
    refused(call)


def test_arrays_are_broadcast_against_each_other():
    ours = dt.broadcast_arrays(dt.asarray(CELLS), np.ones((3, 1)))
    for a, b in zip(ours, np.broadcast_arrays(CELLS, np.ones((3, 1))), strict=True):
        assert isinstance(a, dt.Array)
        np.testing.assert_array_equal(a.compute(), b, strict=True)


def test_broadcasting_nothing():
    assert dt.broadcast_arrays() == np.broadcast_arrays() == ()
    assert dt.broadcast_shapes() == np.broadcast_shapes() == ()
    assert np.broadcast_to(dt.ones(1), (2, 3), subok=True).shape == (2, 3)
