import re

import numpy as np

import dask_tapestry as dt
from dask_tapestry.diagnostics.plan_summaries import described, parameters, plan_summary, told_whole
from dask_tapestry.diagnostics.plan_summary import PlanSummary
from dask_tapestry.diagnostics.tuning import PARAMETER_LETTERS

FOUR = dt.Resources(workers=4, threads=2, memory="8 GiB")


def stored(rows=10**6):
    return dt.placeholder((rows, 100), "f8", stored_chunks=(10**4, 100))


def test_steps_and_costs_are_the_plans():
    plan = dt.plan(stored().std(axis=0), resources=FOUR).core
    found = told_whole(plan)
    assert isinstance(found, PlanSummary)
    assert found.cost == plan.cost
    assert [s.digest for s in found.steps] == [node.digest for node in plan.steps]
    assert [n.name for n in found.nodes] == [node.operator.name for node in plan.graph.nodes]
    assert found.nodes[found.roots[0]].type == "float64[100]"
    assert found.memory[-1][0] > 0
    assert found.steps[-1].end > found.steps[-1].begin >= 0


def test_what_is_told_shortly_has_neither_run_nor_graph():
    found = plan_summary(dt.plan(stored().sum(), resources=FOUR).core)
    assert not (found.memory)
    assert not (found.nodes)
    assert not (found.steps[0].inside)


def test_it_is_said_which_steps_read_a_source_and_why():
    x = stored()
    plan = dt.plan(x.mean(axis=0).rechunk(50), (x > 1).sum(axis=1).rechunk(1000), resources=FOUR)
    reading = [s for s in plan_summary(plan.core).steps if "placeholder" in s.chain]
    text = plan.explain()
    if len(reading) > 1:
        assert re.search(r"reads placeholder float64\[1000000, 100\], as step \d: ", text)
    else:
        assert ", as step" not in text


def test_constants_are_described():
    cells = np.arange(10, dtype="i4")
    assert described(cells).startswith("int32[10] #")
    assert described(cells) == described(cells.copy()) != described(cells[::-1])
    assert described(np.array([None, 1])) == "object[2]"
    assert described(np.broadcast_to(np.zeros(1), (2**40,))) == f"float64[{2**40}]"


def test_parameters_are_short():
    x = dt.ones(3)
    for number in range(200):
        x = x * (number + 0.5) + 1
    (step,) = dt.plan(x).core.steps.values()
    assert all(
        len(parameters(one.operator)) <= PARAMETER_LETTERS for one in step.program.instructions
    )
