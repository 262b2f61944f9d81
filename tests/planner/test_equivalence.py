from random import Random

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.planner.abstraction import abstract
from dask_tapestry.planner.build import build_plan
from dask_tapestry.planner.equivalence import first_difference, fixed_point, require_computes
from dask_tapestry.teg import Graph
from dask_tapestry.teg.node import reapply
from tests.covering import seeds_of
from tests.fuzz.programs import drawn_arrays

CLUSTER = dt.Resources(workers=8, threads=4, memory="8 GiB")
BIG = dt.placeholder((10**8,), "f8")
SMALL = dt.asarray(np.arange(12.0).reshape(3, 4))


def plan_for(*arrays):
    return build_plan([x.node for x in arrays], CLUSTER)


@pytest.mark.parametrize(
    ("planned", "same"),
    [
        (BIG.sum(), BIG.sum()),
        (BIG.sum(), dt.negative(-BIG).sum()),
        (SMALL.T[::-1].T.sum(0), SMALL[:, ::-1].sum(0)),
        ((SMALL + 1)[:2], SMALL[:2] + 1),
        (dt.cumsum(BIG)[:10], dt.cumsum(BIG[::-1][::-1])[:10]),
        (dt.exp(dt.exp(dt.exp(SMALL))).T, dt.exp(dt.exp(dt.exp(SMALL)).T - 0.0)),
    ],
)
def test_a_plan_computes_what_is_equal_by_the_rules(planned, same):
    require_computes(plan_for(planned), same.teg)


@pytest.mark.parametrize(
    ("planned", "other", "message"),
    [
        (BIG.sum(), BIG.max(), r"reduce\(placeholder, sum.* has reduce\(placeholder, max"),
        (BIG.sum(), (BIG + 1).sum(), r"computes placeholder\(\) .* elementwise\(placeholder, add"),
        (SMALL.sum(0), SMALL.sum(1), r"sum, axes=\(0,\)\) : float64\[4\].*sum, axes=\(1,\)"),
        (dt.cumsum(BIG), dt.cumprod(BIG), r"scan\(placeholder, add.* scan\(placeholder, mul"),
        (SMALL[1:], SMALL[:-1], r"view\(memory, .* view\(memory, "),
        (SMALL + 1.0, SMALL + 2.0, r"add\(\$0, 1.0\)\) : float64\[3, 4\] .*add\(\$0, 2.0\)"),
    ],
)
def test_the_first_difference_is_named(planned, other, message):
    with pytest.raises(dt.PlanError, match=f"result 0 is another value: the plan .*{message}"):
        require_computes(plan_for(planned), other.teg)


def test_results_are_compared_in_order():
    x, y = SMALL.sum(), SMALL.max()
    plan = plan_for(x, y)
    require_computes(plan, Graph([x.node, y.node]))
    with pytest.raises(dt.PlanError, match="result 0 is another value"):
        require_computes(plan, Graph([y.node, x.node]))
    with pytest.raises(dt.PlanError, match="the plan has 2 results, the graph 1"):
        require_computes(plan, x.teg)


def test_order_is_part_of_a_graph():
    x = (SMALL + 1).node
    late = reapply(x, x.inputs, [dt.sequence_point(BIG.sum()).node])
    with pytest.raises(dt.PlanError, match=r"where the graph has .* after 1 sequence points"):
        require_computes(plan_for(dt.Array(x)), Graph([late]))


def test_a_plan_computes_its_own_abstraction():
    x = (dt.exp(SMALL.T) * 2).var(0)
    plan = plan_for(x)
    require_computes(plan, abstract(plan))


@pytest.mark.parametrize("seed", seeds_of(range(0, 100, 10), 4))
def test_random_programs(seed):
    for number in range(seed, seed + 10):
        random = Random(number)
        arrays = drawn_arrays(random)
        wanted = [x.bound for x in random.sample(arrays, min(3, len(arrays)))]
        with dt.config(block_bytes=100):
            plan = build_plan(wanted, dt.Resources(workers=2, threads=2, memory="1 GiB"))
        require_computes(plan, Graph(wanted))
        require_computes(plan, abstract(plan))
        others = [x.bound for x in arrays if x.bound.type == wanted[0].type]
        for other in others:
            mine, theirs = (fixed_point(Graph([one])) for one in (wanted[0], other))
            if mine != theirs:
                with pytest.raises(dt.PlanError, match="is another value"):
                    require_computes(plan, Graph([other, *wanted[1:]]))


def test_the_first_difference_lies_deepest():
    x, y = (SMALL + 1).sum().node, (SMALL + 2).sum().node
    have, want = first_difference(x, y)
    assert (have, want) == (x.inputs[0], y.inputs[0])
    assert first_difference(x, x) == (x, x)
