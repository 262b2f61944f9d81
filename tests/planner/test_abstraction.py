from dataclasses import replace
from random import Random

import pytest

import dask_tapestry as dt
from dask_tapestry.planner.abstraction import abstract, of_steps
from dask_tapestry.planner.build import build_plan
from dask_tapestry.planner.cache import plan_of
from dask_tapestry.planner.rewriting.passes import simplified
from dask_tapestry.rewrite.trace import FORMS, Trace
from dask_tapestry.rules.unfuse import Unfused
from dask_tapestry.teg import Graph
from tests.covering import seeds_of
from tests.fuzz.programs import drawn_arrays

CLUSTER = dt.Resources(workers=8, threads=4, memory="8 GiB")


def stored(*shape, **options):
    return dt.placeholder(shape, "f8", **options)


def centred():
    x = stored(10**5, 2000, stored_chunks=(2000, 2000))
    return ((x - x.mean(0)) / x.std(0)).sum(1)


def gram():
    x = stored(10**6, 200, stored_chunks=(10**4, 200))
    return x.T @ x


FORMED = {
    "sum": lambda: stored(10**8).sum(),
    "reductions of reductions": centred,
    "matrix product": lambda: stored(10, 10**7) @ stored(10**7, 20),
    "one factor twice": gram,
    "reduction of a product": lambda: (stored(20, 10**7) @ stored(10**7, 30)).var(0),
    "scan": lambda: dt.cumsum(stored(10**7, 100).sum(1) * 2) + 1,
    "scan of a scan": lambda: dt.cumsum(dt.cumsum(stored(10**4, 10**4), 0), 1).sum(),
    "sort": lambda: dt.sort(stored(10**8) * 2).max(),
    "argsort": lambda: dt.argsort(stored(2, 10**8), axis=1),
    "order statistics": lambda: dt.quantile(stored(10**9), 0.3),
    "histogram": lambda: dt.histogram(stored(10**8), bins=10, range=(0, 1))[0],
}


def unsharded(plan):
    """What the graph was before forms, by rewriting what was written."""
    return Unfused().graph(simplified(plan.written, Trace()))


@pytest.mark.few(6)  # one function undoes all
@pytest.mark.parametrize("name", FORMED)
def test_forms_are_undone(name):
    plan = build_plan([FORMED[name]().node], CLUSTER)
    assert any(r.changes for r in plan.rewrites.rounds if r.name == FORMS)
    assert abstract(plan) == unsharded(plan)
    assert Unfused().graph(of_steps(plan)) == Unfused().graph(plan.graph)


@pytest.mark.parametrize("seed", seeds_of(range(0, 100, 10), 2))
def test_steps_of_random_programs_are_their_graphs(seed):
    for number in range(seed, seed + 10):
        random = Random(number)
        arrays = drawn_arrays(random)
        wanted = [x.bound for x in random.sample(arrays, min(3, len(arrays)))]
        with dt.config(block_bytes=100):
            plan = build_plan(wanted, dt.Resources(workers=2, threads=2, memory="1 GiB"))
        assert Unfused().graph(of_steps(plan)) == Unfused().graph(plan.graph)
        assert abstract(plan) == unsharded(plan)


def test_a_plan_that_was_found_again_has_its_own_arrays():
    first, second = dt.asarray([1.0, 2.0]), dt.asarray([3.0, 4.0])
    plan_of([(first + 1).node])
    plan = plan_of([(second + 1).node])
    assert abstract(plan) == Graph([(second + 1).node])


def test_a_write_and_what_follows_it():
    target = dt.store(stored(10**7), object_target := Target(), compute=False)
    x = stored(10**8).sum()
    plan = build_plan([target.node, dt.sequence_point(target, x).node, x.node], CLUSTER)
    assert object_target.shape == (10**7,)
    assert abstract(plan) == unsharded(plan)


class Target:
    """Something that could be written to."""

    shape = (10**7,)
    dtype = "f8"

    def __setitem__(self, key, value):
        raise AssertionError("a plan writes nothing")


def test_a_form_that_its_node_does_not_have_is_refused():
    plan = build_plan([stored(10**8).sum().node], CLUSTER)
    trace = Trace()
    for each in plan.rewrites.rounds:
        trace.begin(each.name, each.manner)
        for change in each.changes:
            other = stored(10**8).max().node
            before = other if each.name == FORMS else change.before
            trace.record(change.rule, before, change.after, again=change.again)
    with pytest.raises(dt.PlanError, match=r"reduce\(reduce, .*\) is not a form of reduce\(placeh"):
        abstract(replace(plan, rewrites=trace))


def test_what_the_trace_does_not_tell_stays_in_parts():
    plan = build_plan([stored(10**8).sum().node], CLUSTER)
    parts = abstract(replace(plan, rewrites=Trace()))
    assert [n.operator.name for n in parts][:3] == ["placeholder", "reduce", "reduce"]
