import numpy as np
import pytest
from distributed import Client, LocalCluster
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.operators.sorting.picked_spans import all_spans
from dask_tapestry.operators.sorting.set_cells import (
    SetCells,
    bucket_sizes,
    by_exchange,
    most_cells,
    set_cells,
)
from dask_tapestry.teg import apply
from tests.examples import examples

from .test_exchange_sort import KINDS, cells

NUMPY_S = {
    "both": np.intersect1d,
    "first": np.setdiff1d,
    "one": np.setxor1d,
}


def made_of(choice, span, x, y):
    return apply(SetCells(choice, span), *[dt.asarray(one + 0).node for one in (x, y)])


def joined(buckets, **options):
    counts = dt.Array(bucket_sizes(buckets)).compute(**options)
    return counts.tolist(), dt.Array(all_spans(buckets, counts)).compute(**options)


@examples(25)
@given(
    n=st.integers(1, 300),
    m=st.integers(1, 300),
    runs=st.integers(1, 7),
    span=st.integers(1, 60),
    kind=st.sampled_from([kind for kind in KINDS if np.dtype(kind).kind in "iufc"]),
    seed=st.integers(0, 99),
    few=st.booleans(),
    choice=st.sampled_from(list(NUMPY_S)),
    block_bytes=st.sampled_from([8, 300, 10**6]),
)
def test_every_sharding_fills_the_same_buckets(
    n, m, runs, span, kind, seed, few, choice, block_bytes
):
    x, y = cells((n,), kind, seed, few), cells((m,), kind, seed + 1, few)
    whole = made_of(choice, span, x, y)
    with dt.config(block_bytes=block_bytes, max_tasks=10**6, resources=dt.Resources(2, 1, "1 GiB")):
        sizes, expected = joined(whole, scheduler="sync")
        told, found = joined(by_exchange(whole, runs), scheduler="sync")
    assert told == sizes
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(found, NUMPY_S[choice](x, y))


@pytest.mark.few(4)  # as unlike as so many can be
@pytest.mark.parametrize("choice", NUMPY_S)
@pytest.mark.parametrize("kind", ["equal", "apart", "one group", "largest"])
def test_skew_changes_nothing(kind, choice):
    n = 20_000
    x, y = {
        "equal": (np.zeros(n), np.zeros(n)),
        "apart": (np.arange(n) * 1.0, np.arange(n) + 5.0 * n),
        "one group": (np.where(np.arange(n) % 9, 3.0, np.arange(n)), np.arange(n) % 4 * 1.0),
        "largest": (np.full(n, np.inf), np.where(np.arange(n) % 2, np.nan, np.inf)),
    }[kind]
    for a, b in ((x, y), (y, x), (x[:7], y), (x, y[:7])):
        _, found = joined(by_exchange(made_of(choice, 16, a, b), 8))
        np.testing.assert_array_equal(found, NUMPY_S[choice](a, b))


def test_what_fills_up_a_run_is_no_cell():
    most = np.iinfo(int).max
    x, y = np.array([most, 1, 2, most, 5]), np.array([3, 4, 9, 1, 1, 1])
    for choice in NUMPY_S:
        for a, b in ((x, y), (y, x)):
            _, found = joined(by_exchange(made_of(choice, 1, a, b), 3))
            assert found.tolist() == NUMPY_S[choice](a, b).tolist()


def test_zeros_of_both_signs_are_one():
    x, y = (dt.asarray(np.array(one)).node for one in ([-0.0, 0.0, 1.0], [0.0, -0.0, -0.0, 2.0]))
    for choice, expected in (("both", [0.0]), ("first", [1.0]), ("one", [1.0, 2.0])):
        whole = set_cells(choice, x, y)
        for found in (whole, by_exchange(whole, 3)):
            assert joined(found)[1].tolist() == expected


def test_the_most_cells_that_may_be_chosen():
    assert [most_cells(one, (5, 3)) for one in ("both", "first", "one")] == [3, 5, 8]


@pytest.mark.exhaustive  # on threads of one process above
@pytest.mark.cluster
def test_they_are_chosen_between_processes():
    random = np.random.default_rng(2)
    x, y = random.integers(0, 10**5, 200_000), random.integers(0, 10**5, 100_000)
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
        ) as cluster,
        Client(cluster),
    ):
        for choice, numpy_s in NUMPY_S.items():
            _, found = joined(by_exchange(made_of(choice, 1000, x, y), 6))
            assert np.array_equal(found, numpy_s(x, y))
