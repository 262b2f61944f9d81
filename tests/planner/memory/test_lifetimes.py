"""What is said of lifetimes, against the tasks of plans and orders in which they may run."""

from random import Random

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.matrices.panel_lu import solve_by_panels
from dask_tapestry.planner.access.access import Access
from dask_tapestry.planner.build import build_plan
from dask_tapestry.planner.fusion.group import group_of
from dask_tapestry.planner.memory.lifetimes import Lifetimes, _all_read
from dask_tapestry.zspace import Cuts
from tests.planner.graphs import FOUR, stored, tasks_of


def normal(shape, seed=0):
    return dt.random.default_rng(seed).normal(size=shape)


def means():
    x = stored((4000, 1000), "f8", (1000, 1000))
    return (x - x.mean(axis=0)).std(axis=0)


def turned():
    x = stored((2000, 2000), "f8", (500, 500))
    y = (x + x.T).rechunk((250, -1))
    return (y @ y) + x.sum()


def ranked():
    x = normal((3000, 40))
    return dt.sort(x, axis=0).rechunk((300, 40)).sum(axis=1), x.max()


def panels():
    """Equations of a matrix in eight panels, and a product that can be computed at any time."""
    a, b = normal((64, 64)), normal((64, 2), 1)
    x = dt.Array(solve_by_panels(a.node, (a @ b).node, 8))
    return abs(a.rechunk((16, 16)) @ x - b).max()


def planned(made):
    roots = made() if isinstance(made(), tuple) else (made(),)
    method = "none" if made is panels else "auto"
    return build_plan([x.node for x in roots], FOUR, method)


MADE = (means, turned, ranked, panels)


@pytest.mark.parametrize("made", MADE)
def test_a_step_that_ends_before_another_stands_before_each_of_its_tasks(made):
    plan = planned(made)
    tasks = tasks_of(plan)
    ancestors, blocks = {}, {node: set() for node in plan.steps}
    for task, read in tasks.items():
        ancestors[task] = read.union(*[ancestors[other] for other in read])
        blocks[task[0]].add(task)
    lifetimes = Lifetimes(plan.steps, set(plan.graph.roots))
    for (node, _), known in ancestors.items():
        for other in plan.steps:
            if lifetimes.ends_before(other, node):
                assert blocks[other] <= known


@pytest.mark.parametrize("made", MADE)
def test_no_order_holds_more_values_than_is_said(made):
    """A value is held from the beginning of its first task to the end of its last reader's."""
    plan = planned(made)
    tasks, roots = tasks_of(plan), set(plan.graph.roots)
    last = {node: set() for node in plan.steps}
    for task, read in tasks.items():
        for other, _ in read:
            last[other].add(task)
    sizes = {node: float(1 + number % 7) for number, node in enumerate(plan.steps)}
    said = Lifetimes(plan.steps, roots).most_together(sizes, lambda _: 0.0)
    for seed in range(20):
        assert most_held(tasks, last, sizes, roots, Random(seed)) <= said


def most_held(tasks, last, sizes, roots, random):
    """The most that is held at a time while tasks run one by one, any that is ready next."""
    done, waiting, most = set(), dict(tasks), 0.0
    begun = set()
    while waiting:
        task = random.choice([t for t, read in waiting.items() if read <= done])
        del waiting[task]
        begun.add(task[0])
        held = [n for n in begun if n in roots or not last[n] or not last[n] <= done]
        most = max(most, sum(sizes[n] for n in held if last[n] or n in roots))
        done.add(task)
    return most


def test_a_step_that_may_run_at_any_time_does_not_hold_all_at_once():
    plan = planned(panels)
    sizes = dict.fromkeys(plan.steps, 1.0)
    said = Lifetimes(plan.steps, set(plan.graph.roots)).most_together(sizes, lambda _: 0.0)
    assert said < len(plan.steps) / 2


def test_what_no_operator_chooses_from_is_always_read(monkeypatch):
    """Classes of blocks are looked at only where an input is one of those that are joined."""
    x, y = (stored((2000, 10), "f8", (100, 10)).rechunk((100, 10)) for _ in range(2))
    both = {x.node, y.node}
    joined = group_of(dt.concatenate([x, y]).node, both)
    added = group_of((x + dt.concatenate([y[:5], x[5:]])).node, both)
    columns = Cuts.regular(10, 10)
    for cuts, each in ((Cuts.regular(4000, 100), False), (Cuts.regular(4000, 4000), True)):
        assert [_all_read(joined.program, (cuts, columns), number) for number in (0, 1)] == 2 * [
            each
        ]
    monkeypatch.setattr(Access, "of", None)
    always = added.inputs.index(x.node)
    assert _all_read(added.program, (Cuts.regular(2000, 100), columns), always)
    taken = group_of(x[np.arange(2000) // 3].node, both)
    assert _all_read(taken.program, (Cuts.regular(2000, 100), columns), taken.inputs.index(x.node))
