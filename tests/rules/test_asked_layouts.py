"""Layouts that were asked for are left where workers cannot hold values in them."""

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.rules.asked_layouts import layouts_within, leave_layout
from dask_tapestry.teg import Graph
from tests.planner.graphs import stored

SMALL = dt.Resources(workers=2, threads=2, memory="60 MB")
SHAPE, CHUNKS = (64, 512, 512), (8, 128, 128)  # 64 MiB; a column of chunks takes 4 MiB


def columns(x):
    return x.rechunk({0: -1})


def names(plan):
    return [i.operator.name for step in plan.core.steps.values() for i in step.program.instructions]


def test_a_layout_is_left_for_what_it_is_of():
    x = columns(stored(SHAPE, "f4", CHUNKS))
    assert leave_layout(x.node) is x.node.inputs[0]
    assert leave_layout(x.sum().node) is not x.node
    assert layouts_within(Graph([(x + 1).node, x.sum().node])) == [x.node]
    assert layouts_within(Graph([x.node, x.sum().node])) == []


def test_of_what_fits_layouts_are_as_asked():
    x = columns(stored(SHAPE, "f4", CHUNKS))
    assert "rechunk" in names(dt.plan(x.std(axis=0), resources=dt.Resources(2, 2, "1 GB")))


JOBS = {
    "folded with its mean": lambda x: (x - x.mean()).max(axis=0),
    "sums and counts": lambda x: [x.sum(axis=0), (x > 1).sum(axis=(1, 2))],
    "two layouts": lambda x: x.rechunk((-1, 64, 64)).mean(axis=0) - x.std(axis=0),
    "medians, twice": lambda x: [np.median(x, axis=0), x.max(axis=0)],
}


@pytest.mark.few(2)
@pytest.mark.parametrize("name", JOBS)
def test_what_does_not_fit_in_them_is_planned_without(name, tmp_path):
    """Values that several steps read are held whole: more than workers have."""
    cells = np.random.default_rng(0).normal(size=SHAPE).astype("f4")
    dt.to_zarr(dt.asarray(cells), tmp_path / "x", chunks=CHUNKS)
    made = JOBS[name](columns(dt.from_zarr(tmp_path / "x")))
    made = made if isinstance(made, list) else [made]
    plan = dt.plan(*made, resources=SMALL)
    plan.verify()
    wanted = JOBS[name](dt.asarray(cells))
    wanted = wanted if isinstance(wanted, list) else [wanted]
    got = plan.compute(scheduler="sync")
    got = got if isinstance(got, tuple) else (got,)
    for value, one in zip(got, wanted, strict=True):
        np.testing.assert_allclose(value, one.compute(), rtol=1e-4, atol=1e-4)


def test_results_are_in_the_blocks_that_were_asked_for():
    x = stored(SHAPE, "f4", CHUNKS)
    with pytest.raises(dt.MemoryLimitError):
        dt.plan(x.rechunk((-1, -1, -1)), resources=SMALL)
