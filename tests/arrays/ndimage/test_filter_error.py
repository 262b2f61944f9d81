import pytest

import dask_tapestry as dt


def test_it_is_what_scipy_raises_and_what_numpy_would():
    for kind in (ValueError, RuntimeError, dt.ArgumentError):
        with pytest.raises(kind, match="uniform_filter1d: size must be at least 1, not 0"):
            dt.ndimage.uniform_filter1d(dt.ones(3), 0)
