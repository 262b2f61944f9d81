import json
from contextlib import suppress
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import zarr
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.arrays.planning.plan import Plan
from dask_tapestry.errors import PlanError
from dask_tapestry.planner.cache import plan_of
from dask_tapestry.planner.graph_digest import digest
from dask_tapestry.planner.plan_json import VERSION, dumps, loads
from dask_tapestry.teg import Graph
from tests.examples import examples
from tests.planner.damaged import changed
from tests.planner.graphs import FAST_STORES

FOUR = dt.Resources(workers=4, threads=2, memory="64 GiB")


def stored():
    return dt.placeholder((10**5, 10**4), "f8", (1000, 1000))


def normalised(x):
    return ((x - x.mean(axis=0)) / x.std(axis=0)).sum(axis=1)


JOBS = {
    "formula": lambda: [stored() * 2 + 1],
    "partial nodes": lambda: [normalised(stored())],
    "product": lambda: [stored() @ stored().T],
    "scan": lambda: [dt.cumsum(stored(), axis=0)],
    "sort": lambda: [dt.sort(dt.placeholder((10**8,), "f8", (10**6,)))],
    "layouts": lambda: [(stored().rechunk(((30_000, 20_000, 50_000), -1)) + 1).rechunk((-1, 500))],
    "two results": lambda: [stored().sum(), stored().max(axis=1)],
    "one cell": lambda: [dt.ones(()) + 1],
    "on the host": lambda: [dt.ndimage.median_filter(stored().to_device("cuda"), 3).mean(axis=1)],
}


def saved(plan):
    return dumps(plan.core)


def read(text, arrays):
    return loads(text, [x.node for x in arrays])


@pytest.mark.parametrize("job", JOBS)
def test_the_same_steps_are_made_again(job):
    plan = dt.plan(*JOBS[job](), resources=FOUR)
    again = read(saved(plan), JOBS[job]())
    assert again.resources == FOUR
    assert again.cost == plan.core.cost
    assert [s.cuts for s in again.steps.values()] == [s.cuts for s in plan.core.steps.values()]
    again.verify()
    assert dumps(again) == saved(plan)


@pytest.mark.parametrize(
    "arrays", [lambda y: [y, y.max(axis=0)], lambda y: [y - y.mean(axis=0), (y - 1).std()]]
)
def test_results_beyond_all_memory_are_made_again(arrays):
    y = stored() + 1
    plan = dt.plan(*arrays(y), resources=replace(FOUR, memory="2 GiB"))
    again = read(saved(plan), arrays(y))
    assert again.cost == plan.core.cost
    assert again.graph == plan.core.graph
    again.verify()


def test_blocks_that_are_computed_one_by_one_still_are(tmp_path):
    zarr.create_array(tmp_path / "x", shape=(4000, 64_000), chunks=(1000, 64_000), dtype="f8")
    jobs = [dt.from_zarr(tmp_path / "x")[100:110]]
    tight = dt.Resources(workers=2, threads=2, memory="1.6 GB")
    plan = dt.plan(*jobs, resources=tight)
    again = read(saved(plan), jobs)
    again.verify()
    assert again.cost == plan.core.cost
    assert [s.machine.alone for s in again.steps.values()] == [True]


def test_the_same_values_are_the_same_plan():
    x = normalised(stored())
    plan = dt.plan(x, resources=FOUR)
    again = read(saved(plan), [x])
    assert [s.name for s in again.steps.values()] == [s.name for s in plan.core.steps.values()]
    assert str(again.rewrites) == str(plan.trace())


def test_a_saved_plan_computes(tmp_path):
    data = np.random.default_rng(0).normal(size=(300, 200))
    first, other = (normalised(dt.asarray(d)) for d in (data, data[::-1].copy()))
    with dt.config(block_bytes=20_000):
        dt.plan(first, resources=FOUR).save(tmp_path / "plan.json")
    p = dt.load_plan(tmp_path / "plan.json", other)
    np.testing.assert_array_equal(p.compute(scheduler="sync"), other.compute())


def test_a_plan_from_store_to_store_serves_other_stores(tmp_path):
    for name, value in (("a", 1.0), ("b", 5.0)):
        dt.to_zarr(dt.full((40, 30), value), tmp_path / name, chunks=(10, 30))

    def write(source, target):
        x = dt.from_zarr(tmp_path / source)
        return dt.to_zarr(x - x.mean(axis=0), tmp_path / target, compute=False)

    dt.plan(write("a", "a new")).save(tmp_path / "plan.json")
    dt.load_plan(tmp_path / "plan.json", write("b", "b new")).compute()
    assert not dt.from_zarr(tmp_path / "b new").compute().any()
    assert not (tmp_path / "a new").exists()


def test_what_is_no_plan_is_refused(tmp_path):
    x = dt.ones(3) + 1
    for text in ("", "{", "[]", '{"steps": []}'):
        (tmp_path / "plan.json").write_text(text)
        with pytest.raises(PlanError, match=r"plan\.json is not a plan"):
            dt.load_plan(tmp_path / "plan.json", x)
        with pytest.raises(PlanError, match=r"plan\.json is not a plan"):
            dt.load_plan(tmp_path / "plan.json")


def test_files_of_version_2_are_read():
    content = json.loads(saved(dt.plan(dt.ones(3) + 1)))
    del content["told"]
    again = read(json.dumps({**content, "version": 2}), [dt.ones(3) + 1])
    assert again.cost == dt.plan(dt.ones(3) + 1).cost


def test_files_of_version_4_tell_no_parts_of_forms():
    x = dt.placeholder((100_000, 10_000), "f8", stored_chunks=(1000, 1000)).sum() + 1
    content = json.loads(saved(dt.plan(x)))
    assert content["forms"]
    content["forms"] = [form[:3] for form in content["forms"]]
    again = read(json.dumps({**content, "version": 4}), [x])
    assert again.cost == dt.plan(x).cost


def test_another_version_is_refused():
    text = saved(dt.plan(dt.ones(3) + 1)).replace(f'"version": {VERSION}', '"version": 99')
    with pytest.raises(PlanError, match=f"version 99; this library reads versions 2 to {VERSION}"):
        read(text, [dt.ones(3) + 1])


@pytest.mark.parametrize(
    "other",
    [
        lambda: stored() * 3,
        lambda: stored() + 2,
        lambda: dt.placeholder((10**5, 10**4), "f4", (1000, 1000)) * 2,
        lambda: dt.placeholder((10**5, 10**4), "f8", (1000, 500)) * 2,
        lambda: dt.placeholder((10**5, 10**3), "f8", (1000, 1000)) * 2,
    ],
)
def test_another_graph_is_refused(other):
    text = saved(dt.plan(stored() * 2, resources=FOUR))
    read(text, [stored() * 2])
    with pytest.raises(PlanError, match="another graph: its results are elementwise float64"):
        read(text, [other()])


def test_other_rules_are_refused():
    text = saved(dt.plan(stored() * 2, resources=FOUR))
    content = json.loads(text)
    content["rewritten"] = "of another library"
    with pytest.raises(PlanError, match="by other rules of rewriting"):
        read(json.dumps(content), [stored() * 2])


def test_a_grid_that_cannot_be_is_refused(tmp_path):
    x = dt.placeholder((10, 10), "f8")
    sink = dt.to_zarr(x, tmp_path / "x", chunks=(5, 10), compute=False)
    content = json.loads(saved(dt.plan(sink)))
    content["steps"][-1]["grid"][0] = [10, 3, 3]
    with pytest.raises(PlanError, match="cannot be cut as it says"):
        loads(json.dumps(content), [sink.node])


def test_all_resources_are_kept():
    machines = dt.Resources(
        groups=[(2, 4, "8 GiB"), (1, 8, "32 GiB")],
        bandwidth="2 GB/s",
        latency="1 ms",
        store_bandwidth="3 GB/s",
        store_latency="20 ms",
        worker_bandwidth="300 MB/s",
        limits={"license": 4},
        rates={"latency": 2.0},
    )
    again = read(saved(dt.plan(stored() + 1, resources=machines)), [stored() + 1])
    assert again.resources == machines
    local = dt.plan(dt.ones(3) + 1)
    assert read(saved(local), [dt.ones(3) + 1]).resources.local


def test_graphs_that_differ_in_data_alone_have_one_digest():
    def of(*arrays):
        return digest(Graph([x.node for x in arrays]))

    x, y = dt.asarray(np.arange(3.0)), dt.asarray(np.ones(3))
    assert of(x + y) == of(y + x)
    assert len({of(x + y), of(x + x), of(x - y), of(x + y, x), of(x, x + y)}) == 5


def small():
    """Two results of cells in memory, in several steps."""
    x = dt.asarray(np.arange(240.0).reshape(20, 12)) / 7
    return [normalised(x), dt.sort(x, axis=0)]


TINY = dt.Resources(groups=[(2, 2, "8 MiB"), (2, 1, "4 MiB")], rates={"latency": 1e-9})


@cache
def of_small():
    """A plan of `small` in several blocks, as text, and the values."""
    with dt.config(block_bytes=400):
        text = saved(dt.plan(*small(), resources=TINY))
    assert len(json.loads(text)["steps"]) > 2
    return text, [x.compute() for x in small()]


@given(st.data())
@examples(80)
def test_a_damaged_file_is_a_plan_error_or_a_plan_of_the_same_values(data):
    text, values = of_small()
    arrays = small()
    try:
        again = read(data.draw(changed(text)), arrays)
        again.verify()
    except PlanError:
        return
    found = Plan(again, arrays).compute(scheduler="sync")
    for value, wanted in zip(found, values, strict=True):
        np.testing.assert_array_equal(value, wanted)


@given(st.sampled_from(["product", "scan", "layouts", "partial nodes"]), st.data())
@examples(40)
def test_damage_to_plans_of_large_jobs_is_found(job, data):
    text = large(job)
    with suppress(PlanError):
        read(data.draw(changed(text)), JOBS[job]()).verify()


@cache
def large(job):
    return saved(dt.plan(*JOBS[job](), resources=FOUR))


@pytest.mark.parametrize(
    ("way", "wrong", "text"),
    [
        (["resources", "rates"], "/etc/passwd", "it.resources.rates is '/etc/passwd', not an obj"),
        (["resources", "workers"], 0, "workers must be a whole number of at least 1, not 0"),
        (["resources"], [], r"it.resources is \[\], not an object"),
        (["steps"], None, "it.steps is None, not a list"),
        (["steps", 0, "node"], 99, r"steps\[0\]: its node is 99, not a whole number from 0 to"),
        (["steps", 0, "node"], "x", r"it.steps\[0\].node is 'x', not a whole number"),
        (["steps", 0, "grid", 0], [20, 0, 0], r"grid\[0\]\[1\] is 0, not a whole number from 1"),
        (["steps", 0, "grid", 0], [[0, 9, 9, 20]], "not edges of blocks"),
        (
            ["steps", 0, "grid", 0],
            [21, 1, 1],
            r"grid cuts \(21,\), its step computes void128\[12\]",
        ),
        (["steps", 0, "place"], "nowhere", "place is 'nowhere', not one of"),
    ],
)
def test_what_is_damaged_is_named(way, wrong, text):
    content = json.loads(of_small()[0])
    there = content
    for name in way[:-1]:
        there = there[name]
    there[way[-1]] = wrong
    with pytest.raises(PlanError, match=f"^the text is damaged: .*{text}"):
        read(json.dumps(content), small())


def test_a_form_has_its_sizes():
    content = json.loads(large("partial nodes"))
    content["forms"][0][2] = 10**6
    with pytest.raises(PlanError, match="has no form 'nodes' of 1000000"):
        read(json.dumps(content), JOBS["partial nodes"]())


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    with pytest.raises(dt.StoreNotFoundError, match=r"there is no plan at .*nowhere"):
        dt.load_plan(tmp_path / "nowhere.json", dt.ones(3))
    with pytest.raises(dt.StoreError, match="cannot read the plan"):
        dt.load_plan(tmp_path, dt.ones(3))
    (tmp_path / "plan.json").write_bytes(b"\xff\xfe")
    with pytest.raises(PlanError, match="is not a plan"):
        dt.load_plan(tmp_path / "plan.json", dt.ones(3))
    (tmp_path / "plan.json").write_text("[" * 10**5)
    with pytest.raises(PlanError, match="is not a plan"):
        dt.load_plan(tmp_path / "plan.json", dt.ones(3))


def test_a_plan_that_was_found_again_is_saved(tmp_path):
    """It names its nodes by slots, which an array's graph has not."""
    zarr.create_array(tmp_path / "x", shape=(10**5, 10**4), dtype="f8", chunks=(1000, 1000))
    x, y = normalised(dt.from_zarr(tmp_path / "x")), stored().sum()
    with dt.config(resources=FOUR):
        for _ in range(2):
            core = plan_of([x.node, y.node])
        assert core.sources
        assert core.choices.forms
        Plan(core, (x, y)).save(tmp_path / "plan.json")
        found = dt.load_plan(tmp_path / "plan.json", x, y)
        assert found.diff(dt.plan(x, y)) == "the plans are the same"


def test_what_the_host_does_for_a_device_is_kept():
    (x,) = JOBS["on the host"]()
    core = x.plan(resources=replace(FOUR, rates=FAST_STORES)).core
    assert core.taken
    assert loads(dumps(core), [x.node]).taken == core.taken


def test_a_plan_with_a_choice_among_rules_is_read_again():
    @dt.rule(on="reduce", kind="choice")
    def largest_of_sorted(node):
        """``max(sort(x)) -> max(x)``."""
        (x,) = node.inputs
        is_sorted = x.operator.name == "sort"
        return dt.Array(x.inputs[0]).max(axis=node.operator.axes) if is_sorted else None

    x = dt.sort(stored(), axis=1).max(axis=1)
    with dt.config(rules=[largest_of_sorted]):
        plan = x.plan(resources=FOUR)
        assert plan.core.taken
        again = read(saved(plan), [x])
        assert again.cost == plan.core.cost
        dt.verify(Plan(again, (x,)), x)
