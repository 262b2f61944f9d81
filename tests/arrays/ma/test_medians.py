"""Medians of shown cells."""

import numpy as np
import pytest

import dask_tapestry as dt

from .masked_samples import agree, ours, sample


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("kind", ["u8", "i4", "f4", "f8"])
@pytest.mark.parametrize("axis", [None, 0, 1, (0, 1)])
@pytest.mark.parametrize("hidden", [None, 0.3, 0.7])
def test_medians_are_those_of_numpy(kind, axis, hidden):
    x = sample(kind, mask=hidden)
    agree(dt.ma.median(ours(x), axis), np.ma.median(x, axis))
    agree(dt.ma.median(ours(x), axis, keepdims=True), np.ma.median(x, axis, keepdims=True))


def test_a_lane_of_hidden_cells_is_hidden_and_does_not_warn():
    x = np.ma.masked_array([[1.0, 2.0], [3.0, np.nan]], [[1, 1], [0, 0]])
    agree(dt.median(ours(x), axis=1), np.ma.masked_array([0, np.nan], [1, 0]))


def test_complex_numbers_are_refused():
    with pytest.raises(dt.DTypeError, match="no order"):
        dt.ma.median(ours(sample("c16")))
