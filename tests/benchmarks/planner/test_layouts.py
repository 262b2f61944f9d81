"""Forced layouts compute what the chosen plan does, are others than it, and are cut as asked."""

import numpy as np

import dask_tapestry as dt
from benchmarks.planner.layouts import FORCED, forced, layouts
from dask_tapestry.arrays.planning.plan import Plan

TWO = dt.Resources(workers=1, threads=2, local=True)
CELLS = np.random.default_rng(0).random((300, 200))


def test_all_layouts_have_one_value():
    x = dt.asarray(CELLS)
    y = (x - x.mean(axis=0)) / x.std(axis=0)
    wanted = y.compute()
    found = [Plan(core, (y,)).compute() for _, core in layouts([y.node], TWO)]
    assert len(found) > 5
    assert all(np.array_equal(value, wanted) for value in found)


def test_the_chosen_layout_comes_first_and_no_layout_twice():
    x = dt.asarray(CELLS) + 1
    names, plans = zip(*layouts([x.node], TWO), strict=True)
    assert names[0] == "chosen"
    assert set(names[1:]) <= FORCED.keys()
    assert len({plan.chunks(0) for plan in plans}) == len(plans)


def test_a_step_is_cut_as_it_is_forced_where_it_may_be():
    x = dt.asarray(CELLS)
    rows = forced([(x + 1).node], TWO, (4, 1), True)
    assert rows.chunks(0) == ((75,) * 4, (200,))
    whole = forced([dt.sort(x, axis=0).node], TWO, (4, 2), True)
    assert whole.chunks(0) == ((300,), (100, 100))


def test_a_layout_without_forms_has_an_operator_a_node():
    x = dt.asarray(np.zeros((40_000, 1000))).sum()
    formed, plain = (forced([x.node], TWO, (4, 1), way) for way in (True, False))
    assert len(plain.steps) == 1 < len(formed.steps)
