import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.sorting import unique_by_sorting
from dask_tapestry.arrays.sorting.unique_by_sorting import UniqueBySorting, UniqueSlices

X = np.array([[3, 1, 3], [2, 1, 7]])


def test_distinct_cells():
    found = UniqueBySorting.of(dt.asarray(X), equal_nan=True)
    assert found.values().compute().tolist() == [1, 2, 3, 7]
    assert found.index().compute().tolist() == [1, 3, 0, 5]
    assert found.counts().compute().tolist() == [2, 1, 2, 1]
    assert found.inverse().compute().tolist() == [[2, 0, 2], [1, 0, 3]]


@pytest.mark.parametrize("invert", [False, True])
def test_among_others(invert):
    found = UniqueBySorting.of(dt.asarray(X), equal_nan=True)
    others = UniqueBySorting.of(dt.asarray(np.array([7.0, 9.0, 1.0])), equal_nan=True)
    chosen = found.shared_with(others, np.dtype("f8"), invert)
    assert chosen.values().compute().tolist() == ([2, 3] if invert else [1, 7])
    assert found.values().shape == (4,)


def test_distinct_rows():
    found = UniqueSlices(dt.asarray(X), 1)
    assert found.values().compute().tolist() == [[1, 3, 3], [1, 2, 7]]
    assert found.counts().compute().tolist() == [1, 1, 1]


def test_cells_are_counted_once():
    found = UniqueBySorting.of(dt.asarray(X), equal_nan=True)
    first = found.values()
    assert first.deferred is not None
    assert first.shape == (4,)
    assert found.counts().shape == (4,)


def test_rows_that_are_sent_for(monkeypatch):
    x = dt.asarray(np.random.default_rng(0).integers(0, 2, (200, 3)))
    whole = UniqueSlices(x, 0)
    monkeypatch.setattr(unique_by_sorting, "LONG_TABLE_BYTES", 0)
    sent = UniqueSlices(x, 0)
    for name in ("values", "index", "counts", "inverse"):
        expected = getattr(whole, name)().compute()
        assert np.array_equal(getattr(sent, name)().compute(), expected)
    rows = dt.random.default_rng(0).integers(0, 3, (6 * 10**6, 8))
    mask = dt.Array(UniqueSlices(rows, 0).mask)
    dt.plan(mask, resources=dt.Resources(16, 1, "512 MiB")).verify()
