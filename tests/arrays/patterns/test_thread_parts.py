import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.patterns.foreach_thread import foreach_thread
from dask_tapestry.arrays.patterns.thread_parts import (
    extract_slice,
    parallel_insert_slice,
    perform_concurrently,
    subview,
)

X = np.arange(60.0).reshape(6, 10)


def test_parts_at_known_places_are_slices():
    made = extract_slice(X, [1, 3], [2, 3], [2, 1])
    np.testing.assert_array_equal(made.compute(), X[1:5:2, 3:6])
    assert "useroperator" not in str(made.teg)
    with pytest.raises(dt.ShapeError, match="no part"):
        extract_slice(X, [5, 0], [2, 3])


def test_parts_of_parts():
    x = dt.asarray(X)

    def body(i):
        part = extract_slice(x, [i, 2], [2, 4], [1, 2])
        inner = extract_slice(part, [1, i * 0 + 1], [1, 2], [1, 2])
        return perform_concurrently(parallel_insert_slice(inner, dt.zeros((3, 2)), [i, 0]))

    np.testing.assert_array_equal(foreach_thread(body, 3).compute(), X[1:4, [4, 8]])


def test_a_subview_is_read_and_written_whole():
    target = X.copy()
    view = subview(target, [0, 0], [2, 2])
    np.testing.assert_array_equal(view[...].compute(), X[:2, :2])
    with pytest.raises(dt.ArgumentError, match="whole"):
        view[0]
    with pytest.raises(dt.TraceError, match="body of a foreach_thread"):
        view[...] = 3
    with pytest.raises(TypeError, match="NumPy or Zarr"):
        subview([1, 2], [0], [1])


def test_scalars_fill_a_subview():
    target = X.copy()

    def body(i):
        subview(target, [2 * i, 0], [1, 10])[...] = i

    foreach_thread(body, 3).compute()
    assert (target[::2] == np.arange(3)[:, None]).all()
    np.testing.assert_array_equal(target[1::2], X[1::2])


def test_only_inserts_are_performed():
    with pytest.raises(TypeError, match="parallel_insert_slice"):
        perform_concurrently(X)
