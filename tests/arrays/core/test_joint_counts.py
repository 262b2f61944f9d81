import numpy as np
import pytest
from dask import delayed
from distributed import Client, LocalCluster

import dask_tapestry as dt
from dask_tapestry.arrays.core import joint_counts
from dask_tapestry.arrays.core.joint_counts import count_together

CELLS = np.arange(400.0)
FIFTHS = [CELLS[n == CELLS % 5] for n in range(5)]


class Stored:
    """Cells that tell how often they are read."""

    shape, dtype, ndim = CELLS.shape, CELLS.dtype, 1

    def __init__(self):
        self.reads = 0

    def __getitem__(self, key):
        self.reads += 1
        return CELLS[key]


@pytest.fixture
def stored():
    return Stored()


@pytest.fixture
def parts(stored):
    x = dt.from_array(stored, chunks=400)
    return [x[x % 5 == n] for n in range(5)]


@pytest.mark.parametrize(
    ("join", "expected"),
    [
        (dt.concatenate, np.concatenate(FIFTHS)),
        (dt.stack, np.stack(FIFTHS)),
        (dt.vstack, np.vstack(FIFTHS)),
        (dt.hstack, np.hstack(FIFTHS)),
        (dt.column_stack, np.column_stack(FIFTHS)),
        (lambda parts: dt.block([parts[:2], parts[2:4]]), np.block([FIFTHS[:2], FIFTHS[2:4]])),
    ],
)
def test_what_is_joined_is_read_once_to_be_counted(stored, parts, join, expected):
    joined = join(parts)
    assert joined.shape == expected.shape
    assert stored.reads == 1
    np.testing.assert_array_equal(joined.compute(), expected)
    assert stored.reads <= 2


def test_what_is_computed_together_is_counted_together(stored, parts):
    for found, expected in zip(dt.compute(*parts), FIFTHS, strict=True):
        np.testing.assert_array_equal(found, expected)
    assert stored.reads <= 2


def test_what_is_known_and_what_is_no_array_is_left_alone(parts):
    known = dt.ones(3)
    count_together([known, None, 3, parts[0]])
    assert parts[0].deferred is not None
    assert parts[0].deferred.remembered_node() is None


def test_what_is_counted_next_is_counted_too():
    x = dt.from_array(np.arange(200_000) % 7)
    found = [dt.unique(x), dt.unique(x + 1), dt.flatnonzero(x > 5)]
    count_together(found)
    assert all(one.deferred.remembered_node() is not None for one in found)
    assert found[1].compute().tolist() == list(range(1, 8))


def test_the_same_counts_are_run_once(stored):
    x = dt.from_array(stored, chunks=400)
    mask = x > 300
    first, second = x[mask], (x + 1)[mask]
    count_together([first, second])
    assert stored.reads == 1
    assert first.shape == second.shape == (99,)


def test_each_is_counted_alone_where_all_take_too_much(parts, monkeypatch):
    def refuse(waiting):
        raise dt.MemoryLimitError("they take too much")

    monkeypatch.setattr(joint_counts, "_counted", refuse)
    assert dt.concatenate(parts).shape == (400,)


def test_delayed_values_of_a_cluster_run_once():
    def columns(n):
        return np.full((2, n), n)

    with LocalCluster(2, processes=False, dashboard_address=":0") as cluster, Client(cluster):
        parts = [dt.from_delayed(delayed(columns)(n), (2, np.nan), int) for n in range(4)]
        joined = dt.concatenate(parts, axis=1)
        assert joined.compute()[0].tolist() == [1, 2, 2, 3, 3, 3]
