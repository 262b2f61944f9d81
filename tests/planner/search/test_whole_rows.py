"""Tables that wait for folds of their own rows are read once, in nodes of whole rows."""

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.planner.rewriting.exchanged_values import EXCHANGED, number_of
from dask_tapestry.planner.search import whole_rows
from dask_tapestry.planner.search.choices import Choices, FormChoice
from dask_tapestry.planner.search.whole_rows import with_whole_rows
from tests.planner.graphs import stored
from tests.planner.spaces import COSTS, space_of

SMALL = dt.Resources(workers=2, threads=2, memory="500 MiB")


def centred(x):
    return ((x - x.mean(axis=1, keepdims=True)) ** 2).mean(axis=0)


def normed(x):
    y = x / dt.sqrt((x * x).sum(axis=1, keepdims=True))
    return y.max(axis=0)


def shares(x):
    e = dt.exp(x - x.max(axis=1, keepdims=True))
    return (e / e.sum(axis=1, keepdims=True)).mean(axis=0)


@pytest.mark.parametrize("made", [centred, normed, shares])
def test_tables_whose_columns_wait_for_their_rows_are_read_once(made):
    x = stored((160_000, 8000), "f4", (1000, 2000))
    plan = dt.plan(made(x), resources=SMALL)
    assert plan.cost["bytes_read"] < 1.02 * x.nbytes
    assert plan.simulate().peak_worker_bytes <= plan.cost["peak_worker_bytes"]


@pytest.mark.parametrize("made", [centred, normed, shares])
def test_they_have_the_values_of_numpy(made, tmp_path):
    cells = np.random.default_rng(0).normal(size=(300, 40))
    dt.asarray(cells).to_zarr(tmp_path / "x", chunks=(20, 10))
    x = made(dt.from_zarr(tmp_path / "x"))
    plan = dt.plan(x, resources=dt.Resources(workers=2, threads=1, memory="80 MB"))
    np.testing.assert_allclose(plan.compute(scheduler="sync"), made(dt.asarray(cells)).compute())


def test_columns_that_wait_for_columns_are_left():
    """All rows would be in one node."""
    x = stored((160_000, 8000), "f4", (1000, 2000))
    space = space_of(((x - x.mean(axis=0)) ** 2).mean(axis=0), resources=SMALL)
    state = space.seed()
    assert with_whole_rows(space, state, COSTS) is state


def test_what_a_plan_puts_in_a_store_is_none_of_its_sources(monkeypatch):
    """It is read again by those that it is handed to, and is not there in other forms."""
    x = stored((160_000, 8000), "f4", (1000, 2000))
    space = space_of(normed(x), resources=SMALL)
    sums = next(node for node in space.graph if node.type.shape == (160_000,))
    through = FormChoice(EXCHANGED, number_of((1000,), sums.type.shape))
    state = space.state(Choices(forms={sums: (through,)}))
    exchanged = [node for node in state.graph if node.operator.name == "exchanged"]
    assert exchanged
    sources = [x.node, *exchanged]
    monkeypatch.setattr(whole_rows, "worth_reading_once", lambda *_: sources)
    assert with_whole_rows(space, state, COSTS).rank <= state.rank
