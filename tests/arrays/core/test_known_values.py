import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.core.known_values import known_now, where_known


def test_what_is_not_ours_is_itself():
    values = [1, 2]
    assert known_now(values, "positions") is values


def test_arrays_in_memory_are_known():
    np.testing.assert_array_equal(known_now(dt.asarray([1.5, 2]), "positions"), [1.5, 2])


@pytest.mark.parametrize("make", [lambda: dt.arange(3) + 1, lambda: (x := dt.arange(3))[x > 1]])
def test_what_is_to_compute_is_not(make):
    with pytest.raises(TypeError, match="positions must be known now: compute"):
        known_now(make(), "positions")


def test_what_is_to_compute_stays_ours():
    later = dt.arange(3) + 1
    assert where_known(later) is later
    np.testing.assert_array_equal(where_known(dt.asarray([4, 5])), [4, 5])


@pytest.mark.parametrize(
    "call",
    [
        lambda x, at: np.insert(x, at([1, 3]), 7),
        lambda x, at: np.delete(x, at([-1, 3])),
        lambda x, at: np.quantile(x, at([0.25, 0.5]), axis=0),
        lambda x, at: np.percentile(x, at(30)),
        lambda x, at: np.nanquantile(x, at([[0.5], [1.0]]), method="lower"),
    ],
)
def test_functions_take_arrays_in_memory(call):
    x = np.arange(8.0)
    np.testing.assert_allclose(call(dt.asarray(x), dt.asarray).compute(), call(x, np.asarray))


def test_nominal_chunks_hide_no_cells():
    x = np.arange(3)
    assert known_now(dt.from_array(x, chunks=2), "positions") is x
