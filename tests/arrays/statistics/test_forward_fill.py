import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.errors import ArgumentError


def pushed(cells, n, axis):
    found = cells.copy()
    moved = np.moveaxis(found, axis, -1)
    for place in np.ndindex(moved.shape[:-1]):
        since, last = 0, None
        for i, cell in enumerate(moved[place]):
            if np.isnan(cell):
                since += 1
                if last is not None and (n is None or since <= n):
                    moved[(*place, i)] = last
            else:
                since, last = 0, cell
    return found


@pytest.mark.parametrize("n", [None, 0, 1, 2, 50])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_missing_cells_take_the_last_one_there(n, axis):
    cells = np.random.default_rng(3).random((7, 9))
    cells[cells < 0.6] = np.nan
    found = dt.push(dt.from_array(cells, chunks=(3, 4)), n, axis)
    np.testing.assert_array_equal(found.compute(), pushed(cells, n, axis))


@pytest.mark.parametrize("n", range(13))
@pytest.mark.parametrize("axis", [0, 1])
def test_a_limit_that_is_short_is_kept(n, axis):
    cells = np.random.default_rng(n).random((2, 100) if axis else (100, 2)).astype("f4")
    cells[cells < 0.9] = np.nan
    found = dt.push(dt.from_array(cells, chunks=(1, 7)), n, axis)
    assert "scan" not in str(found.teg)
    np.testing.assert_array_equal(found.compute(), pushed(cells, n, axis))
    days = cells.astype("m8[D]")
    assert found.dtype == "f4"
    assert dt.push(days, n, axis).dtype == "m8[D]"
    np.testing.assert_array_equal(dt.push(days, n, axis).compute(), pushed(days, n, axis))


def test_with_a_short_limit_no_lane_is_read_whole():
    maps = dt.placeholder((14_610, 721, 1440), "f4", stored_chunks=(24, 721, 1440))
    for limit, nodes in ((2, 20), (40, 60)):
        filled = dt.push(maps, limit, 0)
        assert len(filled.teg.nodes) < nodes
        plan = dt.plan(filled, resources=dt.Resources(workers=50, threads=4, memory="16 GiB"))
        assert plan.cost["bytes_read"] < 1.6 * maps.nbytes
        assert plan.cost["bytes_moved"] < 0.5 * maps.nbytes


def test_times_are_filled_and_integers_stay():
    days = np.array(["2020-01-01", "NaT", "2020-01-03"], "M8[D]")
    assert str(dt.push(days, None, 0).compute()[1]) == "2020-01-01"
    whole = dt.arange(3)
    assert dt.push(whole, None, 0) is whole
    assert dt.push(dt.ones((0, 2)), None, 0).shape == (0, 2)


def test_a_negative_number_is_refused():
    with pytest.raises(ArgumentError, match="-1"):
        dt.push(dt.ones(3), -1, 0)
