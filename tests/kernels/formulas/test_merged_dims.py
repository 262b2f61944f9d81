import numpy as np
import pytest

from dask_tapestry_kernels.formulas.merged_dims import merged

X = np.zeros((4, 5, 6))


@pytest.mark.parametrize(
    ("arrays", "extents"),
    [
        ([X, X], [120]),
        ([X[:, ::2], X[:, ::2]], [4, 3, 6]),
        ([X.T, X.T], [120]),
        ([X.transpose(1, 0, 2), X.reshape(5, 4, 6)], [5, 4, 6]),
        ([X[:1, :1, :1], X[:1, :1, :1]], []),
        ([np.broadcast_to(X[0, 0], X.shape), X], [20, 6]),
    ],
)
def test_neighbours_are_one_where_all_arrays_run_through_them_so(arrays, extents):
    dims = merged(arrays)
    assert dims.extents == (extents or [1])
    assert all(len(own) == len(dims.extents) for own in dims.strides)
    assert merged(arrays, 4).extents == [1] * (4 - len(extents)) + extents
