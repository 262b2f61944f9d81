"""The least that a step takes, against what it takes under random grids."""

from random import Random

import pytest

import dask_tapestry as dt
from dask_tapestry.planner.cost import lower_bounds as module
from dask_tapestry.planner.cost.cost import step_cost
from dask_tapestry.planner.cost.lower_bounds import LowerBound
from dask_tapestry.planner.fusion.group import group_of
from dask_tapestry.planner.machine.machine import Machine
from dask_tapestry.zspace import Cuts
from tests.covering import seeds_of
from tests.planner.graphs import FOUR, stored
from tests.planner.small_steps import random_cuts, random_step

MACHINES = [Machine.of(FOUR), Machine.of(dt.Resources(workers=1, threads=2, memory="2 GiB"))]
HANDY = 2**25


def program(y):
    return group_of(y.node, {y.node}).program


@pytest.mark.parametrize("seed", seeds_of(range(100), 30))
def test_no_grid_takes_less(seed):
    random = Random(seed)
    one, grid = random_step(random)
    held = tuple(tuple(random_cuts(random, n) for n in type_.shape) for type_ in one.inputs)
    for machine in MACHINES:
        least = LowerBound.of(one, machine).seconds(grid, held, machine)
        assert step_cost(one, grid, held, machine, HANDY).seconds >= least * (1 - 1e-9)


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize(
    "pick",
    [
        lambda x: x + 1,
        lambda x: x[::700] * 2,
        lambda x: x[:, ::-300] - 1,
        lambda x: x + x.T[::-1],
        lambda x: x[dt.asarray([5, 990, 3])] + 1,
        lambda x: x[:, 700:].sum(axis=0),
        lambda x: dt.concatenate([x[:3], x[900:]]).T,
    ],
)
def test_nor_does_one_of_stored_chunks(pick, machine):
    y = pick(stored((1000, 1000), "f8", (100, 50)))
    one, least = program(y), LowerBound.of(program(y), machine)
    for seed in range(20):
        grid = tuple(random_cuts(Random(seed), n) for n in y.shape)
        found = step_cost(one, grid, (), machine, HANDY).seconds
        assert found >= least.seconds(grid, (), machine) * (1 - 1e-9)


def test_the_bound_is_near_what_a_good_grid_takes():
    x = dt.ones((4000, 4000))
    one, grid = program(dt.exp(dt.cos(x)) + x), (Cuts.regular(4000, 500), Cuts.regular(4000, 2000))
    least = LowerBound.of(one, MACHINES[0]).seconds(grid, (), MACHINES[0])
    assert least > 0.5 * step_cost(one, grid, (), MACHINES[0], HANDY).seconds


def test_what_is_held_is_not_looked_at_where_tasks_alone_take_too_long(monkeypatch):
    x = dt.placeholder((4000, 4000), "f8")
    y, grid = x + x.T, (Cuts.regular(4000, 500), Cuts.regular(4000, 2000))
    one, held = group_of(y.node, {x.node, y.node}).program, (grid,)
    least = LowerBound.of(one, MACHINES[0])
    whole, alone = least.seconds(grid, held, MACHINES[0]), least.seconds(grid, (), MACHINES[0])
    assert whole == least.seconds(grid, held, MACHINES[0], enough=alone) > alone
    monkeypatch.setattr(module, "inputs_met", None)
    assert least.seconds(grid, held, MACHINES[0], enough=alone / 2) == alone
