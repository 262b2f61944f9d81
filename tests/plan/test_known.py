import numpy as np

import dask_tapestry as dt
from dask_tapestry.plan import known
from dask_tapestry.plan.known import plan_of


def test_a_small_expression_is_planned_once():
    x = dt.asarray(np.arange(10.0))
    assert plan_of([(x + 1).node]) is plan_of([(x + 1).node])
    assert plan_of([(x + 1).node]) is not plan_of([(x + 2).node])


def test_other_settings_and_resources_give_other_plans():
    x = dt.asarray(np.arange(10_000.0)) + 1
    plan = plan_of([x.node])
    with dt.config(block_bytes=4096):
        assert plan_of([x.node]) is not plan
    with dt.config(resources=dt.Resources(workers=3, threads=2)):
        assert plan_of([x.node]).resources.workers == 3
    assert plan_of([x.node]) is plan


def test_plans_that_hold_much_or_read_stores_are_not_kept(tmp_path):
    large = dt.asarray(np.zeros(known.SMALL // 8 + 1)) + 1
    assert plan_of([large.node]) is not plan_of([large.node])
    dt.to_zarr(dt.arange(10), tmp_path / "x.zarr")
    stored = dt.from_zarr(tmp_path / "x.zarr") + 1
    assert plan_of([stored.node]) is not plan_of([stored.node])


def test_few_are_kept():
    x = dt.asarray(np.arange(3.0))
    first = plan_of([(x + 1).node])
    for number in range(known.KEPT):
        plan_of([(x * number).node])
    assert plan_of([(x + 1).node]) is not first
    assert len(known._known) == known.KEPT
