from dataclasses import replace

import pytest

import dask_tapestry as dt
from tests.planner.graphs import FOUR, stored


def plan_of(*arrays):
    return dt.plan(*arrays, resources=FOUR).core


def steps_text(plan):
    """One line a step: operators, result, how it is cut, why."""
    return [
        f"{' > '.join(i.operator.name for i in step.program.instructions)} -> {node.type}: "
        f"[{', '.join(map(str, step.cuts))}] {step.reason}"
        for node, step in plan.steps.items()
    ]


@pytest.fixture(autouse=True)
def _fixed_settings():
    with dt.config(block_bytes="64 MiB"):
        yield


def test_a_cell_expression_is_one_step():
    (step,) = steps_text(plan_of((stored() + 1) * 2))
    assert step.startswith("placeholder > elementwise -> float64[100000, 1000]: [")


def test_a_reduction_is_a_step_for_its_nodes_and_one_for_the_rest():
    first, *_, last = steps_text(plan_of(stored().sum()))
    assert first.startswith("placeholder > reduce -> float64[")
    assert last == "reduce -> float64[]: [] one block suffices"


def test_rows_are_reduced_in_one_step():
    (step,) = steps_text(plan_of(stored().max(axis=1) + 1))
    assert step.startswith("placeholder > reduce > elementwise -> float64[100000]: [")


def test_a_layout_that_the_user_fixed_is_a_step():
    first, last = steps_text(plan_of(stored().rechunk((5000, -1)) + 1))
    assert first == (
        "placeholder > rechunk -> float64[100000, 1000]: [20x5000, 1000] as the user asked"
    )
    assert last.startswith("elementwise -> float64[100000, 1000]: [")


def test_a_store_is_written_by_the_step_that_computes_it(tmp_path):
    sink = dt.to_zarr((stored() + 1).astype("f4"), tmp_path / "x", chunks=(3000, -1), compute=False)
    (step,) = steps_text(plan_of(sink))
    assert step.startswith("placeholder > elementwise > store -> float32[100000, 1000]: ")
    assert ": [34x3000, 1000]" in step


def test_small_values_are_one_block():
    assert steps_text(plan_of(dt.eye(3, 4).sum(axis=0))) == [
        "coordinates > coordinates > reduce -> float64[4]: [4] one block suffices"
    ]


def test_chunks_of_a_result_by_number_array_and_node():
    x, y = stored() + 1, dt.ones(10)
    plan = plan_of(x, y)
    assert plan.chunks(0) == plan.chunks(x.node)
    assert plan.chunks(1) == plan.chunks(y.node) == ((10,),)
    assert sum(plan.chunks()[0]) == 100_000


def test_chunks_of_what_is_no_result():
    plan = plan_of(stored() + 1)
    with pytest.raises(dt.PlanError, match="no result"):
        plan.chunks(dt.ones(3).node)


def test_chunks_of_a_persisted_array_are_its_own():
    x = dt.ones(10).rechunk(4).persist()
    assert plan_of(x).chunks() == ((4, 4, 2),)


def test_the_graph_as_written_is_kept():
    x = (dt.asarray([1, 2]).T.T + 0)[::-1]
    plan = plan_of(x)
    assert plan.written.roots == (x.node,)
    assert plan.root_of(x.node) is plan.graph.roots[0]


def test_every_rewrite_is_recorded():
    x = stored()[::-1][::-1].sum()
    trace = dt.plan(x, resources=FOUR).trace()
    assert len(trace) > 0
    assert all(line.count(" -> ") for line in str(trace).splitlines())
    assert "nodes" in str(trace)


def test_plans_are_values_that_can_be_changed():
    plan = plan_of(dt.ones(10) + 1)
    other = replace(plan, resources=dt.Resources(workers=2, memory="1 GiB"))
    assert other.cost != {}
    assert plan.resources == FOUR
