import numpy as np
import pytest

import dask_tapestry as dt
from tests.comparisons import same_bits

X = np.arange(24).reshape(2, 3, 4)


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        (([0, 1], [2, 0]), X[[0, 1], [2, 0]]),
        (([0, 1], slice(None), [3, 0]), X[[0, 1], :, [3, 0]]),
        ((slice(None), [2, 0]), np.moveaxis(X[:, [2, 0]], 1, 0)),
        ((..., [[1], [3]]), np.moveaxis(X[..., [[1], [3]]], (2, 3), (0, 1))),
        (([1, 0],), X[[1, 0]]),
    ],
)
def test_cells_are_taken_pointwise(key, expected):
    assert same_bits(dt.asarray(X).vindex[key].compute(), expected)


def test_lazy_places():
    x = dt.asarray(X)
    assert same_bits(x.vindex[dt.asarray([1, 0]), dt.asarray([0, 2])].compute(), X[[1, 0], [0, 2]])


@pytest.mark.parametrize("key", [slice(1), (0, None), (slice(None), slice(1))])
def test_other_keys_are_refused(key):
    with pytest.raises(dt.IndexingError, match="vindex"):
        dt.asarray(X).vindex[key]


def test_whole_slices_take_all():
    x = dt.arange(6).reshape(2, 3)
    assert x.vindex[:, :3] is x
    with pytest.raises(dt.IndexingError):
        x.vindex[:, 1:]
