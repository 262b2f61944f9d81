import numpy as np
import pytest

import dask_tapestry as dt
from tests.arrays.parity import refused


@pytest.mark.parametrize(
    "call",
    [
        lambda np, a: np.stack([]),
        lambda np, a: np.stack([a([1]), a([1, 2])]),
        lambda np, a: np.stack([a([1]), a([2])], 2),
        lambda np, a: np.stack(iter([a([1])])),
        lambda np, a: np.stack([a([1.5]), a([2])], dtype="i4"),
        lambda np, a: np.hstack([]),
        lambda np, a: np.vstack([a([1]), a([1, 2])]),
        lambda np, a: np.column_stack([a([1]), a([1, 2])]),
    ],
)
def test_what_numpy_refuses(call):
    refused(call)


def test_interleave_needs_arrays_of_one_shape():
    with pytest.raises(dt.ShapeError, match="same shape"):
        dt.interleave([dt.ones(2), dt.ones(3)])
    with pytest.raises(dt.ShapeError, match="at least one"):
        dt.interleave([])


def test_an_array_is_a_sequence_of_its_rows():
    x = np.arange(6).reshape(3, 2)
    np.testing.assert_array_equal(dt.hstack(dt.asarray(x)).compute(), np.hstack(x))
