import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.stencil import fused_steps
from dask_tapestry.planner import cache


def step(u, t):
    around = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]
    return 0.2 * (around + u[1:-1, 1:-1]) + 0.01 * t


@pytest.mark.parametrize("boundary", ["periodic", "nearest", "reflect", 0.5])
def test_bits_do_not_depend_on_how_many_steps_are_computed_together(boundary, monkeypatch):
    x = np.random.default_rng(0).standard_normal((150, 130))
    values = set()
    for count in (1, 2, 3, 7):
        monkeypatch.setattr(fused_steps, "suitable_steps", lambda *args, count=count: count)
        found = dt.stencil.iterate(step, x, 10, depth=1, boundary=boundary)
        values.add(found.compute().tobytes())
    assert len(values) == 1


def test_a_thousand_steps_are_few_plans(monkeypatch):
    plans = []
    plan_of = cache.plan_of

    def counted(*graph):
        plans.append(graph)
        return plan_of(*graph)

    monkeypatch.setattr(cache, "plan_of", counted)
    dt.stencil.iterate(step, np.zeros((64, 64)), 1000, depth=1, boundary="periodic")
    assert len(plans) <= 200


def test_what_steps_read_beside_the_fields_is_computed_once():
    calls = []

    def noted(block):
        calls.append(1)
        return block

    slow = dt.map_blocks(noted, dt.ones((20, 20)), dtype="f8", meta=np.empty((0, 0)))
    calls.clear()
    found = dt.stencil.iterate(
        lambda u: u[1:-1, 1:-1] + slow, np.zeros((20, 20)), 100, depth=1, boundary="nearest"
    )
    np.testing.assert_array_equal(found.compute(), np.full((20, 20), 100.0))
    assert len(calls) == 1
