import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.planner.rewriting.passes import rewritten
from dask_tapestry.rewrite.trace import Trace
from tests.comparisons import same_bits

RANDOM = np.random.default_rng(7)
CELLS = RANDOM.normal(size=(300, 5))
CELLS[RANDOM.random(CELLS.shape) < 0.6] = np.nan
CELLS[:3] = np.nan
DAYS = CELLS.astype("M8[D]")


def operators(array):
    return {node.operator.name for node in rewritten(array.teg, Trace(), ()).nodes}


def of_vector(xp, x):
    x = x[:, 1]
    return x[xp.maximum.accumulate(xp.where(xp.isnan(x), 0, xp.arange(300)))]


def taken(xp, x):
    x = x[:, 1]
    places = xp.where(~xp.isnan(x), xp.arange(300), 0)
    return xp.take(x, xp.maximum.accumulate(places))


def along_axis(xp, x):
    places = xp.where(xp.logical_not(xp.isnan(x)), xp.arange(300)[:, None], 0)
    return xp.take_along_axis(x, xp.maximum.accumulate(places, axis=0), axis=0)


def in_own_columns(xp, x):
    places = xp.maximum.accumulate(xp.where(xp.isnan(x), 0, xp.arange(300)[:, None]), axis=0)
    return x[places, xp.arange(5)]


def across(xp, x):
    places = xp.maximum.accumulate(xp.where(xp.isnan(x.T), 0, np.arange(300)), axis=1)
    return xp.take_along_axis(x.T, places, axis=1)


FILLS = (of_vector, taken, along_axis, in_own_columns, across)


@pytest.mark.parametrize("fill", FILLS)
def test_places_of_known_cells_are_a_scan_of_cells(fill):
    filled = fill(dt, dt.asarray(CELLS))
    assert not operators(filled) & {"take", "takealongaxis"}
    assert same_bits(filled.compute(), fill(np, CELLS))


def test_times_are_filled():
    def fill(xp, x):
        places = xp.where(xp.isnat(x), 0, xp.arange(300)[:, None])
        return xp.take_along_axis(x, xp.maximum.accumulate(places, axis=0), axis=0)

    filled = fill(dt, dt.asarray(DAYS))
    assert "takealongaxis" not in operators(filled)
    np.testing.assert_array_equal(filled.compute(), fill(np, DAYS))


@pytest.mark.parametrize(
    "places",
    [
        lambda xp, x: xp.where(xp.isnan(x), 1, xp.arange(300)),  # cell 1 before the first
        lambda xp, x: xp.where(xp.isnan(x), xp.arange(300), 0),  # missing cells are kept
        lambda xp, x: xp.where(~xp.isnan(x), 0, xp.arange(300)),
        lambda xp, x: xp.where(xp.isnan(x), 0, xp.arange(1, 301) - 1),
        lambda xp, x: xp.where(xp.isnan(x[::-1]), 0, xp.arange(300)),
        lambda xp, x: xp.where(xp.isinf(x), 0, xp.arange(300)),
        lambda xp, x: xp.where(xp.isnan(x), 0, xp.arange(0, 600, 2) % 300),
    ],
)
def test_other_places_are_taken(places):
    def fill(xp, x):
        return x[xp.maximum.accumulate(places(xp, x))]

    filled = fill(dt, dt.asarray(CELLS[:, 0]))
    assert "take" in operators(filled)
    assert same_bits(filled.compute(), fill(np, CELLS[:, 0]))


def test_stored_cells_are_read_once_or_twice():
    few = dt.Resources(workers=2, threads=1, memory="450 MB")
    x = dt.placeholder((24_000_000,), "f8", stored_chunks=(2_000_000,))
    places = dt.maximum.accumulate(dt.where(dt.isnan(x), 0, dt.arange(x.shape[0])))
    cost = dt.plan(dt.nansum(x[places]), resources=few).cost
    assert cost["bytes_read"] <= 2.2 * x.nbytes
    assert cost["bytes_written"] == 0
