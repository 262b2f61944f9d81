import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.operators.indexing import gather as gather_module
from dask_tapestry.operators.indexing.masked_gather import gathered
from tests.operators.in_forms import forms_of

COUNTS = st.integers(1, 12)


@given(COUNTS, st.integers(0, 40), st.integers(1, 6), st.data())
def test_owners_answer_for_all_places_once(rows, count, owners, data):
    generator = np.random.default_rng(data.draw(st.integers(0, 99)))
    table, places = generator.normal(size=(rows, 2)), generator.integers(0, rows, count)
    if data.draw(st.booleans()):
        places[:] = rows - 1  # all of one owner
    made = dt.Array(gathered(dt.asarray(table).node, dt.asarray(places).node, owners))
    block = data.draw(st.sampled_from([8, 40, 10**6]))
    with dt.config(block_bytes=block, resources=dt.Resources(2, 1, "1 GiB")):
        plan = made.plan()
        plan.verify()
        np.testing.assert_array_equal(plan.compute(scheduler="sync"), table[places])


@pytest.mark.parametrize("owners", [1, 2, 5])
def test_the_form_has_the_same_bits(owners, monkeypatch):
    monkeypatch.setattr(gather_module, "WORTH_SHUFFLING_BYTES", 0)
    x = dt.asarray(np.random.default_rng(0).normal(size=(6, 5, 4)))
    at = np.random.default_rng(1).integers(-2, 8, (7, 3, 2))
    value = dt.patterns.gather(x, dt.asarray(at), [0, 2], [1, 1])
    made = dt.Array(forms_of(value.node)["mask"].make(value.node, owners))
    with dt.config(resources=dt.Resources(3, 1, "1 GiB"), block_bytes=100):
        assert made.compute(scheduler="sync").tobytes() == value.compute().tobytes()


def test_a_few_large_workers_look_at_all_places():
    """Few places of a table that is held in parts: no worker has all of it, none is routed."""
    table = dt.placeholder((10**8, 100), "f4", stored_chunks=(10**6, 100))
    places = dt.placeholder((10**5, 1), "i8", stored_chunks=(10**5, 1))
    value = dt.patterns.gather(table, places, [0], [1])
    plan = value.plan(resources=dt.Resources(2, 2, "64 GiB"))
    plan.verify()
    assert plan.cost["bytes_read"] < 1.1 * (table.nbytes + places.nbytes)
