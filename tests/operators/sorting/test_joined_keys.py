import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.errors import DTypeError
from dask_tapestry.operators.sorting.joined_keys import joined, joined_rows
from dask_tapestry.operators.sorting.sort import argsort, by_exchange
from tests.examples import examples

from .test_exchange_sort import KINDS, cells

SMALL = dt.Resources(16, 1, "256 MiB")


@pytest.mark.parametrize("shape", [(9, 3), (0, 3), (4, 0), (1, 1)])
def test_rows_come_as_words_do(shape):
    x = np.random.default_rng(0).integers(0, 2, shape)
    order = dt.Array(argsort(joined_rows(dt.asarray(x).node), 0)).compute()
    rows = [tuple(row) for row in x]
    assert order.tolist() == sorted(range(len(rows)), key=rows.__getitem__)


@examples(20)
@given(
    kinds=st.lists(st.sampled_from(KINDS), min_size=2, max_size=4),
    n=st.integers(1, 300),
    lanes=st.sampled_from([(), (2,)]),
    runs=st.integers(2, 6),
    block_bytes=st.sampled_from([8, 300, 10**6]),
    workers=st.integers(1, 3),
)
def test_every_sharding_of_an_exchange_has_the_stable_order(
    kinds, n, lanes, runs, block_bytes, workers
):
    keys = [cells((*lanes, n), kind, seed, few=seed != 1) for seed, kind in enumerate(kinds)]
    order = argsort(joined([dt.asarray(key).node for key in keys[::-1]]), -1)
    machines = dt.Resources(workers, 1, "1 GiB")
    with dt.config(block_bytes=block_bytes, max_tasks=10**6, resources=machines):
        plan = dt.plan(dt.Array(order), dt.Array(by_exchange(order, runs)))
        for made in plan.compute(scheduler="sync"):
            assert np.array_equal(made, np.lexsort(keys, axis=-1))


def test_keys_of_no_worker_are_sorted_by_one_exchange():
    n = 3 * 10**7
    random = dt.random.default_rng(0)
    plan = dt.plan(dt.lexsort((random.random(n), random.integers(0, 9, n))), resources=SMALL)
    plan.verify()
    assert plan.cost["peak_worker_bytes"] < 2**28
    rows = random.integers(0, 3, (n // 8, 8))
    dt.plan(dt.Array(argsort(joined_rows(rows.node), 0)), resources=SMALL).verify()


def test_cells_without_an_order_are_refused():
    with pytest.raises(DTypeError, match="no order"):
        joined([dt.asarray(np.zeros(3, "i4,i4")).node])
