from functools import partial

import numpy as np
import pytest

missing = pytest.importorskip("xarray.core.missing")

from dask_tapestry.arrays.xarray import filled_gaps  # noqa: E402
from dask_tapestry.arrays.xarray.filled_gaps import fill_gaps, filler_of  # noqa: E402
from tests.comparisons import same_bits  # noqa: E402

RANDOM = np.random.default_rng(5)


def lane_by_lane(cells, places):
    """What xarray computes of each lane."""
    filled = np.empty_like(cells)
    for lane in np.ndindex(*cells.shape[:-1]):
        with np.errstate(all="ignore"):
            filled[lane] = missing.func_interpolate_na(
                missing.NumpyInterpolator, cells[lane], places
            )
    return filled


def with_gaps(shape, dtype, share):
    cells = (RANDOM.normal(size=shape) * 10.0 ** RANDOM.integers(-3, 4, shape)).astype(dtype)
    cells[RANDOM.random(shape) < 0.05] = np.inf
    cells[RANDOM.random(shape) < 0.03] = -np.inf
    cells[RANDOM.random(shape) < share] = np.nan
    return cells


@pytest.mark.parametrize("share", [0.0, 0.1, 0.6, 0.97, 1.0])
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
@pytest.mark.parametrize("shape", [(30,), (1,), (2,), (0,), (4, 25), (3, 0), (0, 4), (3, 5, 17)])
@pytest.mark.parametrize("order", ["C", "F"])
def test_it_has_the_bits_of_each_lane(shape, dtype, share, order, monkeypatch):
    monkeypatch.setattr(filled_gaps, "FILLED_CELLS", 40)
    cells = np.array(with_gaps(shape, dtype, share), order=order)
    before, places = cells.copy(), np.cumsum(RANDOM.random(shape[-1]) + 0.01)
    found = fill_gaps(cells, places)
    assert same_bits(cells, before)
    assert found.dtype == cells.dtype
    assert same_bits(found, lane_by_lane(cells, places))


def test_only_what_is_known_is_filled():
    linear = partial(missing.func_interpolate_na, missing.NumpyInterpolator, method="linear")
    assert filler_of(linear, np.dtype("f4")) is fill_gaps
    assert filler_of(linear, np.dtype("c8")) is filler_of(linear, np.dtype("g")) is None
    assert filler_of(partial(linear, fill_value=0.0), np.dtype("f4")) is None
    assert filler_of(missing.func_interpolate_na, np.dtype("f4")) is None
    other = partial(missing.func_interpolate_na, missing.ScipyInterpolator, method="linear")
    assert filler_of(other, np.dtype("f4")) is None
