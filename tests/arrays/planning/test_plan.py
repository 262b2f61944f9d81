import pickle

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.lower.layers import SymbolicLayer

CELLS = np.arange(24.0).reshape(4, 6)
FOUR = dt.Resources(workers=4, threads=2, memory="8 GiB")


def test_a_plan_keeps_its_grids():
    x = dt.arange(4_000_000.0).reshape(4000, 1000) * 0 + 2
    plan = dt.plan(x, resources=FOUR)
    held = plan.persist()
    assert dt.plan(held).chunks(held) == plan.chunks(x)
    assert held.chunks == x.chunks
    assert plan.chunks(x) != dt.plan(x, resources=dt.Resources(memory="8 GiB", threads=1)).chunks(x)
    assert held.sum().compute() == 8e6


def test_a_plan_prints(tmp_path):
    plan = dt.plan(dt.asarray(CELLS).sum(), resources=FOUR)
    assert repr(plan) == plan.explain()
    assert "<table>" in plan._repr_html_()
    name = plan.visualize(str(tmp_path / "plan.html"))
    text = (tmp_path / "plan.html").read_text("utf-8")
    assert name.endswith("plan.html")
    assert text.startswith("<!doctype html>")
    assert "<svg" in text


def test_its_parts():
    x = dt.asarray(CELLS)[::-1][::-1] + 1
    plan = dt.plan(x, resources=FOUR)
    assert plan.resources is FOUR
    assert plan.chunks() == plan.chunks(x) == ((4,), (6,))
    assert len(plan.teg) <= len(x.teg)
    assert plan.cost["tasks"] == 1
    assert len(plan.trace()) > 0
    plan.verify()
    with pytest.raises(dt.PlanError, match="no result"):
        plan.chunks(dt.ones(3))
    with pytest.raises(dt.PlanError, match="no result"):
        plan.chunks(CELLS)


def test_its_graph_is_symbolic_and_small():
    few, many = (dt.plan(dt.ones(10**6).rechunk(n) + 1, resources=FOUR) for n in (10**6, 100))
    assert many.cost["tasks"] > 10_000
    assert all(isinstance(layer, SymbolicLayer) for layer in many.graph().layers.values())
    sizes = [len(pickle.dumps(p.graph())) for p in (few, many)]
    assert abs(sizes[0] - sizes[1]) < 100
    assert max(sizes) < 5000


def test_a_plan_is_verified_before_it_runs():
    plan = dt.plan(dt.ones(10**6), resources=dt.Resources(memory="1 MB"))
    with pytest.raises(dt.MemoryLimitError):
        plan.compute()


def test_an_explanation_shows_rates_on_demand():
    plan = dt.ones(3).plan()
    assert "rates of" not in plan.explain()
    assert plan.explain(rates=True).startswith(plan.explain() + "\nrates of ")


def test_masked_arrays_are_planned_as_their_cells_and_masks(tmp_path):
    cells = dt.asarray(CELLS)
    masked, plain = dt.ma.masked_greater(cells, 9), dt.ma.masked_array(cells + 1)
    results = masked, cells.sum(), plain, masked.mean(axis=0)
    plan = dt.plan(*results, resources=FOUR)
    plan.verify()
    dt.verify(plan, *results)
    expected = np.ma.masked_greater(CELLS, 9)
    wanted = expected, CELLS.sum(), np.ma.masked_array(CELLS + 1), expected.mean(axis=0)
    for values in (plan.compute(), dt.compute(*plan.persist())):
        for value, told in zip(values, wanted, strict=True):
            assert type(value) is type(told)
            np.testing.assert_array_equal(np.ma.getmaskarray(value), np.ma.getmaskarray(told))
            np.testing.assert_array_equal(np.ma.filled(value, 0), np.ma.filled(told, 0))
    assert plan.chunks(masked) == plan.chunks(0) == ((4,), (6,))
    assert (plan.chunks(1), plan.chunks(2), plan.chunks(3)) == ((), ((4,), (6,)), ((6,),))
    plan.save(tmp_path / "plan.json")
    again = dt.load_plan(tmp_path / "plan.json", *results)
    np.testing.assert_array_equal(again.compute()[0].filled(0), expected.filled(0))
    assert dt.plan(masked.mean()).compute() == expected.mean()
    assert dt.plan(dt.ma.masked_greater(cells, -1).max()).compute() is np.ma.masked
