import numpy as np
import pytest

import dask_tapestry as dt
from tests.comparisons import same_bits

C = np.array([True, False, True])


@pytest.mark.parametrize(
    ("x", "y"),
    [(1, 2), (1.5, 0), (np.float32(1), 2.0), (np.arange(3, dtype="i1"), 1), (True, False)],
)
def test_scalars_and_arrays_promote_as_in_numpy(x, y):
    sides = [dt.asarray(s) if isinstance(s, np.ndarray) else s for s in (x, y)]
    assert same_bits(dt.where(dt.asarray(C), *sides).compute(), np.where(C, x, y))


def test_a_condition_is_true_where_it_is_not_zero():
    x = np.array([0.0, -0.0, np.nan, 2.0])
    assert same_bits(dt.where(dt.asarray(x), 1, 0).compute(), np.where(x, 1, 0))


def test_the_side_not_taken_does_not_matter():
    x = np.array([np.nan, 1.0, np.inf])
    assert same_bits(dt.where(dt.asarray(C), 0.0, dt.asarray(x)).compute(), np.where(C, 0.0, x))
