import gc
import pickle
import sys
from collections import Counter
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.memory import garbage_collection
from dask_tapestry.planner import build
from dask_tapestry.planner.build import build_plan
from tests.planner.graphs import FOUR, ROOMY, steps_of, stored

CELLS = np.random.default_rng(0).normal(size=(60, 40))
CLUSTER = dt.Resources(workers=100, threads=8, memory="64 GiB", bandwidth="1 GB/s")


def image_job(images):
    """Normalized pictures, written as half precision."""
    x = dt.placeholder((images, 256, 256, 3), "uint8", (64, 256, 256, 3))
    return dt.to_zarr((x.astype("f4") / 255).astype("f2"), "/nowhere/x.zarr", compute=False)


@contextmanager
def calls_counted():
    """Count what the interpreter does in the block, by kind: calls are of Python functions."""
    events = Counter()
    before = sys.getprofile()
    sys.setprofile(lambda _frame, event, _argument: events.update((event,)))
    try:
        yield events
    finally:
        sys.setprofile(before)


def test_an_unknown_method_is_refused():
    with pytest.raises(dt.ArgumentError, match="not 'exhaustiv'; did you mean 'exhaustive'"):
        build_plan([dt.ones(3).node], method="exhaustiv")


@pytest.mark.parametrize(
    "wrong",
    [{"budget": -1}, {"budget": float("nan")}, {"budget": "long"}, {"seed": 1.5}, {"resources": 4}],
)
def test_arguments_are_checked_by_name(wrong):
    (name,) = wrong
    with pytest.raises((dt.ArgumentError, dt.ArgumentTypeError), match=f"^{name} must be"):
        build_plan([dt.ones(3).node], **wrong)


def test_method_none_makes_one_block_an_operator():
    plan = dt.plan(stored() + 1, stored().sum(axis=0), resources=ROOMY, method="none")
    assert all(step.count == 1 for step in plan.core.steps.values())
    assert dt.plan(stored() + 1, resources=FOUR).cost["tasks"] > 1


def test_method_none_keeps_to_the_memory():
    plan = dt.plan(stored() * 2, resources=dt.Resources(memory="100 MB", threads=1), method="none")
    assert plan.cost["tasks"] > 1


def test_what_no_result_needs_is_dropped():
    x = stored()
    unused = x.sum()
    assert steps_of(x + 1) == [["placeholder", "elementwise"]]
    assert unused.shape == ()


def test_slices_reach_the_source():
    (step,) = dt.plan((stored() * 2 + 1)[7], resources=FOUR).core.steps.values()
    assert step.count == 1
    assert step.needs.stored == 1000 * 1000 * 8


def test_a_slice_of_a_reduction_reduces_no_more_than_that():
    full, some = (
        dt.plan(x, resources=FOUR) for x in (stored().sum(axis=1), stored().sum(axis=1)[:10])
    )
    assert some.cost["bytes_read"] < full.cost["bytes_read"] / 50


def test_the_same_question_has_the_same_answer():
    first, second = (dt.plan(stored().std(axis=0), resources=FOUR) for _ in range(2))
    x = stored()
    first, second = (dt.plan(x.std(axis=0) + x.mean(), resources=FOUR) for _ in range(2))
    assert first.explain() == second.explain()
    assert [s.name for s in first.core.steps.values()] == [
        s.name for s in second.core.steps.values()
    ]


@pytest.mark.parametrize("images", [10_000_000, 163_000_000])
def test_a_job_of_terabytes_is_planned_in_no_time(images):
    """A call of a function for each image would make ten millions of them."""
    sink = image_job(images)
    with calls_counted() as calls:
        plan = dt.plan(sink, resources=CLUSTER)
        plan.verify()
        size = len(pickle.dumps(plan.graph()))
    assert calls["call"] < 2_000_000
    assert size < 10_000
    assert plan.cost["bytes_read"] == images * 256 * 256 * 3
    assert plan.cost["bytes_written"] == images * 256 * 256 * 3 * 2
    assert 2 * CLUSTER.workers < plan.cost["tasks"] < 200_000


def test_the_size_of_a_plan_does_not_grow_with_the_job():
    small, large = (dt.plan(image_job(n), resources=CLUSTER) for n in (10**4, 163 * 10**6))
    assert large.cost["tasks"] > 2 * small.cost["tasks"]
    for measured in (lambda p: p.graph(), lambda p: replace(p.core, candidates=())):
        sizes = [len(pickle.dumps(measured(p))) for p in (small, large)]
        assert abs(sizes[0] - sizes[1]) < 400, "a next best grid may be known of one of them"


@pytest.mark.few(1)  # of either length
@pytest.mark.parametrize("images", [10**6, 10**7])
def test_statistics_of_terabytes_are_planned(images):
    x = dt.placeholder((images, 256, 256, 3), "uint8", (64, 256, 256, 3))
    plan = dt.plan(x.mean(axis=0), x.max(), resources=CLUSTER)
    plan.verify()
    assert plan.cost["bytes_read"] < 2.5 * x.nbytes


def test_long_chains_are_planned():
    x = dt.asarray(CELLS)
    for _ in range(500):
        x = x + 1
    np.testing.assert_allclose(x.compute(), CELLS + 500)


RESOURCES = [
    dt.Resources(workers=1, threads=1, memory="1 GiB"),
    dt.Resources(workers=1, threads=8, memory="1 GiB"),
    dt.Resources(workers=16, threads=2, memory="1 GiB"),
]
VALUES = {
    "map": lambda x: x * 2 + x[::-1],
    "sum": lambda x: x.sum(axis=0),
    "mean": lambda x: x.mean(),
    "centred": lambda x: (x - x.mean(axis=0)) / x.std(axis=0),
    "argmax": lambda x: x.argmax(axis=1),
    "reshaped": lambda x: (x.T + 1).reshape((30, 80)).max(axis=1),
    "sliced": lambda x: x.sum(axis=1)[3:50:7],
}


@pytest.mark.parametrize("value", VALUES)
def test_plans_for_any_resources_give_the_same_bits(value):
    x = dt.asarray(CELLS)
    wanted = dt.plan(VALUES[value](x), resources=RESOURCES[0], method="none").compute()
    for block in (64, 1000, 10_000):
        for resources in RESOURCES:
            with dt.config(block_bytes=block):
                plan = dt.plan(VALUES[value](x), resources=resources)
            np.testing.assert_array_equal(plan.compute(scheduler="sync"), wanted)


@pytest.mark.parametrize(("millions", "is_filled"), [(10, False), (27, True)])
def test_small_workers_are_filled_only_by_what_fits_in_no_other_way(millions, is_filled):
    cells = millions * 10**6
    few = dt.Resources(workers=2, threads=1, memory="500 MB", temporary_store=False)
    x = dt.placeholder((cells,), "f8", stored_chunks=(cells,))
    plan = build_plan([dt.sort(x)[::1000].node], few)
    plan.verify()
    assert plan.resources == replace(few, filled=is_filled)
    assert (plan.cost["peak_worker_bytes"] > few.usable_bytes) == is_filled


def test_nothing_is_forgotten_between_a_plan_that_does_not_fit_and_the_next(monkeypatch):
    """What was computed for the first one serves the second, which may take more memory."""
    done, planned = [], build.plan_as_found

    def refused_first(roots, machines, *others, **options):
        plan = planned(roots, machines, *others, **options)
        done.append("filled" if machines.filled else "usual")
        if not machines.filled:
            raise dt.MemoryLimitError("more is needed")
        return plan

    monkeypatch.setattr(build, "plan_as_found", refused_first)
    monkeypatch.setattr(garbage_collection, "_in_turn", lambda count: done.append(count.__name__))
    gc.enable()  # which a thread that plans may have left to itself
    small = dt.Resources(workers=2, threads=1, memory="500 MiB")
    assert small.has_more
    build_plan([dt.placeholder((3000, 3000), "f8").sum().node], small)
    made = [one for one in done if one != "_note_what_stays"]
    assert made == ["usual", "filled", "_count_as_old"]
