"""Loops whose steps build on the one before are planned where workers lack memory for all folds."""

import pytest

import dask_tapestry as dt
from dask_tapestry.planner.search.choices import Choices
from dask_tapestry.planner.search.held_seed import with_shared_held
from tests.covering import beyond
from tests.planner.graphs import FOUR, stored
from tests.planner.spaces import space_of

SMALL = dt.Resources(workers=2, threads=2, memory="500 MiB")


def least_distances(steps):
    """The distances of rows to the nearest of some of them, each the furthest from those before."""
    x = stored((4_000_000, 100), "f8", (40_000, 100))
    near = ((x - x[0]) ** 2).sum(axis=1)
    for _ in range(steps):
        near = dt.minimum(near, ((x - x[near.argmax()]) ** 2).sum(axis=1))
    return x, near.max()


@pytest.mark.parametrize("steps", [5, beyond(8)])  # of fewer all folds fit
def test_each_step_of_a_loop_reads_its_table_once(steps):
    x, y = least_distances(steps)
    plan = dt.plan(y, resources=SMALL)
    assert plan.cost["bytes_read"] < 1.25 * (steps + 1) * x.nbytes
    plan.verify()


def test_plans_that_fit_and_those_that_share_nothing_are_left():
    _, y = least_distances(2)
    roomy = space_of(y, resources=FOUR)
    state = roomy.state(Choices())
    assert with_shared_held(roomy, state) is state
    x = stored((50_000, 50_000), "f8", (2000, 2000))
    scarce = space_of(dt.sort(x, axis=0).rechunk((-1, 50)), resources=SMALL)
    state = scarce.state(Choices())
    assert not scarce.fits(state)
    assert with_shared_held(scarce, state) is state
