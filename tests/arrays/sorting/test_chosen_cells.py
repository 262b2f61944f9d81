import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.sorting import chosen_cells as module
from dask_tapestry.arrays.sorting.chosen_cells import are_choosable, chosen_cells

NAMES = ("intersect1d", "setdiff1d", "setxor1d")
SMALL = {"workers": 2, "threads": 1, "memory": "500 MB"}


@pytest.fixture(autouse=True)
def few_are_many(monkeypatch):
    monkeypatch.setattr(module, "CHOSEN_TOGETHER", 4)


def held(seed, n, kind):
    cells = np.random.default_rng(seed).integers(0, 200, n)
    return (cells % 2 == 0) if kind == "?" else cells.astype("i8").astype(kind)


@pytest.mark.few(5)  # as unlike as so many can be
@pytest.mark.parametrize("kind", ["?", "u1", "i4", "f2", "f8", "c8", "m8[s]", "M8[s]", "S3", "U3"])
@pytest.mark.parametrize("block_bytes", [10**9, 50_000])
def test_operations_are_numpys(kind, block_bytes, shardings):
    x, y = held(0, 70_000, kind), held(1, 9000, kind)
    for name in NAMES:
        with shardings.tiny(block_bytes):
            ours = getattr(dt, name)(dt.asarray(x, chunks=19_999), dt.asarray(y)).compute()
        expected = getattr(np, name)(x, y)
        assert ours.dtype == expected.dtype
        assert np.array_equal(ours, expected)


def test_only_many_cells_with_keys_are_chosen():
    x, none, objects = (dt.zeros(n, kind).node for n, kind in ((10**4, "f8"), (0, "f8"), (9, "O")))
    assert are_choosable(x, x)
    assert not are_choosable(x, none)
    assert not are_choosable(objects, objects)


def test_cells_are_made_by_the_count_run():
    x, y = (dt.asarray(one).node for one in ([3, 1, 2, 1], [1, 2, 7]))
    found = chosen_cells("both", x, y)
    made = found.deferred.keep
    assert found.bound.type.shape == (3,)
    assert found.shape == (2,)
    assert made[0] not in dt.Array(found.node).teg.nodes
    assert found.compute().tolist() == [1, 2]


@pytest.mark.parametrize("name", NAMES)
def test_arrays_of_two_dtypes_and_of_no_cells(name):
    x, y = held(0, 50, "i4"), held(1, 40, "f8") + 0.5 * (np.arange(40) % 2)
    for a, b in ((x, y), (y, x), (x, y[:0]), (y[:0], x), (x[:0], y[:0])):
        ours, expected = (getattr(lib, name)(a, b) for lib in (dt, np))
        np.testing.assert_array_equal(ours.compute(scheduler="sync"), expected)
        assert ours.dtype == expected.dtype


def test_chunks_are_as_long_as_those_of_the_first_array():
    x, y = dt.arange(1000, chunks=300), dt.arange(500, 2000, chunks=100)
    assert dt.setdiff1d(x, y).chunks == ((300, 200),)
    assert dt.setdiff1d(y, x).chunks == ((100,) * 10,)


@pytest.mark.few(1)  # all are one program but for what is kept
@pytest.mark.parametrize("name", ["intersect1d", "setdiff1d", "setxor1d"])
def test_each_of_two_long_vectors_is_sorted_and_sent_once(name):
    x, y = (dt.placeholder((20_000_000,), "f8", (1_000_000,)) for _ in range(2))
    plan = getattr(dt, name)(x, y).plan(resources=dt.Resources(**SMALL))
    assert plan.cost["bytes_read"] <= 18 * x.nbytes  # both, sorted, in buckets: through a store
