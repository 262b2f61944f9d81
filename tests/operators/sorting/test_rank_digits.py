import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.operators.sorting.rank_digits import cells_of_ranks
from tests.covering import beyond

KINDS = ("f2", "f4", "f8", "i1", "i4", "i8", "u2", "u8", "M8[s]")


@pytest.mark.usefixtures("sync")
@given(st.data())
def test_cells_are_those_of_the_sorted_vector(data):
    kind, seed = data.draw(st.sampled_from(KINDS)), data.draw(st.integers(0, 99))
    n = data.draw(st.sampled_from([1, 2, 100, 5000, 200_000]))
    spread = data.draw(st.sampled_from([0, 3, 1000]))
    random = np.random.default_rng(seed)
    cells = random.integers(-spread, spread + 1, n).astype("i8").astype(kind)
    if kind[0] == "f" and data.draw(st.booleans()):
        cells[random.integers(0, n, 3)] = [np.nan, np.inf, -np.inf]
    ranks = data.draw(st.lists(st.integers(0, n - 1), min_size=1, max_size=6))
    parts = data.draw(st.sampled_from([1, 4, 32]))
    found = dt.Array(cells_of_ranks(dt.from_array(cells).node, ranks, parts)).compute()
    assert found.dtype == cells.dtype
    np.testing.assert_array_equal(found, np.sort(cells)[ranks])


@pytest.mark.parametrize("function", [dt.median, beyond(lambda x: dt.percentile(x, [1, 99]))])
def test_what_workers_cannot_hold_is_read_in_a_few_passes(function):
    x = dt.placeholder((2 * 10**9,), "f4", (10**6,))
    plan = dt.plan(function(x), resources=dt.Resources(2, 1, "512 MiB"))
    plan.verify()
    assert plan.cost["bytes_read"] <= 2.1 * x.nbytes
