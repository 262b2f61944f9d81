"""Plans tell what is counted, and verifying them takes no time to speak of."""

import pytest

from benchmarks.planner.programs import NAMED
from benchmarks.planner.traffic import named, plans, steps

MOST_MS = 1000.0


def test_steps_and_plans_tell_what_is_counted():
    assert steps(20) == {"compared": 20, "differ": []}
    assert plans(10) == {"compared": 10, "differ": []}


@pytest.mark.parametrize("name", ["heat x 10", "attention 8192", "x + x.T to Zarr"])
def test_a_named_plan_is_verified_and_counted(name):
    assert name in NAMED
    found = named(name)
    assert found["counted"]
    assert 0 < found["verify_ms"] < MOST_MS
    assert 0 <= found["count_ms"] < MOST_MS
