import numpy as np
import pytest
from distributed import Client, LocalCluster
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.operators.sorting.among import Among
from dask_tapestry.operators.sorting.joint_runs import (
    joint_run_counts,
    looking_up_bytes,
    told_by_exchange,
)
from tests.examples import examples

from .test_exchange_sort import KINDS, cells

ANSWERS = ("left", "right", "within")


def expected(x, table, answer):
    table = np.sort(table)
    if answer != "within":
        return np.searchsorted(table, x, answer)
    return table[np.minimum(np.searchsorted(table, x), table.size - 1)] == x


def told(x, table, answer, runs):
    return dt.Array(told_by_exchange(dt.asarray(x).node, dt.asarray(table).node, answer, runs))


@examples(20)
@given(
    n=st.integers(1, 300),
    m=st.integers(1, 300),
    runs=st.integers(1, 7),
    kind=st.sampled_from(KINDS),
    seed=st.integers(0, 99),
    few=st.booleans(),
    block_bytes=st.sampled_from([8, 300, 10**6]),
    workers=st.integers(1, 3),
)
def test_every_sharding_tells_what_numpy_does(n, m, runs, kind, seed, few, block_bytes, workers):
    x, table = cells((n,), kind, seed, few), cells((m,), kind, seed + 1, few)
    machines = dt.Resources(workers, 1, "1 GiB")
    with dt.config(block_bytes=block_bytes, max_tasks=10**6, resources=machines):
        for answer in ANSWERS:
            found = told(x, table, answer, runs).compute(scheduler="sync")
            wanted = expected(x, table, answer)
            assert found.dtype == wanted.dtype
            assert np.array_equal(found, wanted)


@pytest.mark.parametrize("kind", ["equal", "apart", "one group", "largest"])
def test_skew_changes_nothing(kind):
    n = 20_000
    x, table = {
        "equal": (np.zeros(n), np.zeros(n)),
        "apart": (np.arange(n) * 1.0, np.arange(n) + 5.0 * n),
        "one group": (np.where(np.arange(n) % 9, 3.0, np.arange(n)), np.arange(n) % 4 * 1.0),
        "largest": (np.full(n, np.inf), np.where(np.arange(n) % 2, np.nan, np.inf)),
    }[kind]
    for answer in ANSWERS:
        for a, b in ((x, table), (table, x)):
            found = told(a, b[: n // 3 + 1], answer, 8).compute()
            assert np.array_equal(found, expected(a, b[: n // 3 + 1], answer))


def test_cells_of_any_shape_are_asked_of():
    x, table = np.arange(24).reshape(2, 3, 4), np.arange(0, 40, 3)
    assert np.array_equal(told(x, table, "within", 3).compute(), np.isin(x, table))


def test_which_cells_are_brought_together():
    x, none, objects = (dt.zeros(n, k).node.type for n, k in ((10**6, "f8"), (0, "f8"), (5, "O")))
    assert joint_run_counts(x, x)[-1] > 16
    assert joint_run_counts(x, none) == joint_run_counts(none, x) == ()
    assert joint_run_counts(objects, objects) == ()


@pytest.mark.few(1)  # both sort two vectors jointly
@pytest.mark.parametrize("search", [dt.isin, lambda x, y: dt.searchsorted(y, x)])
def test_of_two_long_vectors_each_is_sorted_and_sent_once(search):
    x, y = (dt.placeholder((60_000_000,), "f8", (5_000_000,)) for _ in range(2))
    plan = dt.plan(search(x, y).sum(), resources=dt.Resources(2, 1, "500 MB"))
    assert plan.cost["bytes_read"] <= 16 * x.nbytes  # both, sorted, in buckets: through a store
    assert plan.cost["peak_worker_bytes"] < 500 * 10**6


@pytest.mark.exhaustive  # `test_exchange_sort.py` sorts between processes
@pytest.mark.cluster
def test_they_are_brought_together_between_processes():
    random = np.random.default_rng(2)
    x, table = random.integers(0, 10**5, 200_000), random.integers(0, 10**5, 100_000)
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
        ) as cluster,
        Client(cluster),
    ):
        for answer in ANSWERS:
            found = told(x, table, answer, 6).compute()
            assert np.array_equal(found, expected(x, table, answer))


def test_few_cells_are_looked_up_in_little_memory():
    few, many = looking_up_bytes(1000), looking_up_bytes(10**9)
    assert few < 2**18 < many == looking_up_bytes(10**8)
    x, table = (dt.zeros(5000, "i8").node for _ in range(2))
    assert Among("within").scratch_bytes((x.type, table.type), x.type.box) < 2**21
