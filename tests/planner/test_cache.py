import gc
import subprocess
import sys
import weakref
from pathlib import Path

import numpy as np
import pytest
import zarr

import dask_tapestry as dt
from dask_tapestry.caches import cached_functions, clear_caches
from dask_tapestry.io.sources.numpy_source import NumpySource
from dask_tapestry.io.sources.source_parameter import SourceParameter
from dask_tapestry.io.sources.zarr_source import ZarrSource
from dask_tapestry.lower.planned_expression import lower_plan
from dask_tapestry.planner import cache, forgetting
from dask_tapestry.planner.build import build_plan
from dask_tapestry.planner.cache import plan_of, verified_plan_of
from dask_tapestry.planner.memory.results import ResultMemory
from dask_tapestry.planner.plan import PlannedGraph
from tests.covering import beyond

BATCHES = [np.arange(10.0) + number for number in range(3)]

STEPS = {
    "rolled": lambda x: (x + dt.roll(x, 1, 0) + dt.roll(x, (-1, 2), (1, 0))) / 3,
    "rolled as one": lambda x: (x + dt.roll(x, 1)) / 2,
    "joined": lambda x: (x + dt.concatenate([x[1:], x[:1]])) / 2,
    "padded": lambda x: dt.pad(x[1:-1] + x[2:] + x[:-2], ((1, 1), (0, 0))) / 3,
    "wrapped": lambda x: dt.diff(dt.pad(x, ((1, 0), (0, 0)), mode="wrap"), axis=0),
    "assigned": lambda x: _inner(x.copy(), x[:-2] + x[2:]),
    "gradient": lambda x: x + dt.gradient(x, axis=0),
    "turned": lambda x: (x.T * 1.01)[::-1],
    "chosen": lambda x: dt.where(x > 0.5, dt.roll(x, 1, 0), x),
    "stacked": lambda x: dt.stack([x, x + 1]).mean(axis=0),
}


def _inner(x, cells):
    x[1:-1] = cells
    return x


def planned(*arrays):
    return plan_of([x.node for x in arrays])


def scaled(x, by=2.0):
    return dt.asarray(x) * by + 1


def test_what_differs_in_its_arrays_alone_is_planned_once():
    first, second = (planned(scaled(batch)) for batch in BATCHES[:2])
    assert first.graph is second.graph
    assert first.steps is second.steps
    assert planned(scaled(BATCHES[0], by=3.0)).graph is not first.graph
    assert planned(scaled(BATCHES[0].astype("f4"))).graph is not first.graph
    assert planned(scaled(BATCHES[0][:-1])).graph is not first.graph


def test_each_plan_computes_its_own_arrays():
    for batch in BATCHES:
        np.testing.assert_array_equal(scaled(batch).compute(), batch * 2 + 1)
        np.testing.assert_array_equal(scaled(batch).persist().compute(), batch * 2 + 1)


def test_which_array_stands_where_makes_a_difference():
    x, y = (dt.asarray(batch) for batch in BATCHES[:2])
    pairs = [(x, x), (x, y), (y, x), (y, y)]
    for a, b in pairs:
        total = (a * 2 - b).sum()
        assert total.compute() == (a.compute() * 2 - b.compute()).sum()
    shared, twice = planned(x * 2 + x * 2), planned(x * 2 + y * 2)
    assert shared.graph is not twice.graph


def test_roots_are_told_apart():
    x, y = (dt.asarray(batch) for batch in BATCHES[:2])
    for roots in ((x + 1, y + 1), (y + 1, x + 1), (x + 1, x + 2), (x + 2, x + 1)):
        expected = [np.asarray(root) for root in roots]
        for found, one in zip(dt.compute(*roots), expected, strict=True):
            np.testing.assert_array_equal(found, one)


def test_persisted_blocks_of_alike_graphs_have_keys_of_their_own():
    first, second = (scaled(batch).persist() for batch in BATCHES[:2])
    assert not set(first.__dask_graph__()) & set(second.__dask_graph__())
    keys = [set(scaled(batch).__dask_graph__()) for batch in BATCHES[:2]]
    assert not keys[0] & keys[1]


def test_persisted_arrays_are_planned_once_for_each_layout():
    first, second = (dt.asarray(batch).rechunk(5).persist() for batch in BATCHES[:2])
    coarse = dt.asarray(BATCHES[0]).rechunk(10).persist()

    def doubled(x):
        return x * 2

    assert planned(doubled(first)).graph is planned(doubled(second)).graph
    assert planned(doubled(first)).graph is not planned(doubled(coarse)).graph
    for x, batch in ((first, BATCHES[0]), (second, BATCHES[1]), (coarse, BATCHES[0])):
        np.testing.assert_array_equal(doubled(x).compute(), batch * 2)
        np.testing.assert_array_equal((x[2:] + doubled(x)[2:]).persist().compute(), batch[2:] * 3)


@pytest.mark.parametrize("chunks", [None, (20, 60)])
@pytest.mark.parametrize("step", STEPS.values(), ids=STEPS)
def test_loops_that_persist_keep_their_chunks_and_find_their_plan(step, chunks, monkeypatch):
    planned = []
    monkeypatch.setattr(
        cache, "build_plan", lambda *given, **said: planned.append(1) or build_plan(*given, **said)
    )
    x = dt.asarray(np.linspace(0, 1, 3600).reshape(60, 60), chunks=chunks).persist()
    for number in range(8):
        if number == 4:
            planned.clear()
        x = step(x).persist()
        assert x.npartitions <= 5
    assert not planned


@pytest.mark.few(4)  # as unlike as so many can be
@pytest.mark.parametrize("chunks", [None, (300, 1000)])
@pytest.mark.parametrize(
    "step",
    [
        lambda x: x + 0.1 * (dt.roll(x, 1, 0) + dt.roll(x, -1, 0) - 2 * x),
        lambda x: x - 0.5 * (x - dt.roll(x, 1, 0)),
        lambda x: x - 0.5 * (dt.roll(x, -2, 0) - x),
        lambda x: dt.pad(x[2:] + x[1:-1] - x[:-2], ((1, 1), (0, 0))) / 2,
        lambda x: dt.where(dt.roll(x, (1, -1), (0, 1)) > dt.roll(x, (-1, 1), (0, 1)), x, 1 - x),
    ],
    ids=["diffusion", "against the wind", "down the wind", "padded", "diagonal"],
)
def test_loops_over_large_arrays_are_cut_in_one_way(step, chunks, monkeypatch):
    """Where blocks of a stencil begin with the first cell that they read, cuts would move on."""
    planned = []
    monkeypatch.setattr(
        cache, "build_plan", lambda *given, **said: planned.append(1) or build_plan(*given, **said)
    )
    x = dt.asarray(np.linspace(0, 1, 2_000_000).reshape(2000, 1000), chunks=chunks).persist()
    cuts = []
    for number in range(10):
        if number == 6:
            planned.clear()
        x = step(x).persist()
        cuts.append(x.chunks)
    assert not planned
    assert len(set(cuts[5:])) == 1
    assert len(set(cuts[-1][0][1:-1])) <= 1


def test_names_are_the_same_when_planned_again():
    x = scaled(BATCHES[0])
    keys = set(x.__dask_graph__())
    cache._known.clear()
    assert set(x.__dask_graph__()) == keys


def test_another_line_has_a_plan_of_its_own():
    """So that errors name the right one."""
    x = dt.asarray(BATCHES[0])
    first = planned(x + 7)
    other = dt.asarray(BATCHES[1])
    second = planned(other + 7)
    assert first.graph is not second.graph
    assert first.graph.roots[0].line != second.graph.roots[0].line


def test_other_settings_and_resources_give_other_plans():
    x = dt.asarray(np.arange(10_000.0)) + 1
    plan = planned(x)
    with dt.config(block_bytes=4096):
        assert planned(x).graph is not plan.graph
    with dt.config(resources=dt.Resources(workers=3, threads=2)):
        assert planned(x).resources.workers == 3
    assert planned(x).graph is plan.graph


def test_kept_plans_hold_no_arrays():
    batch = np.arange(7.0)
    x = dt.asarray(batch) * 5
    (slot,) = (n for n in planned(x).graph.nodes if not n.inputs)
    assert isinstance(slot.operator, SourceParameter)
    assert planned(x).source(slot).operator.data is batch
    gone = weakref.ref(batch)
    del batch, x
    gc.collect()
    assert gone() is None


@pytest.fixture
def stores(tmp_path):
    """Paths of two arrays that are stored alike, and of one that is not."""
    paths = [tmp_path / name for name in ("one", "two", "three")]
    for number, (path, chunks) in enumerate(zip(paths, (5, 5, 2), strict=True)):
        dt.to_zarr(dt.arange(10) + number, path, chunks=chunks)
    return paths


def test_what_differs_in_its_stores_alone_is_planned_once(stores):
    first, second, third = (planned(dt.from_zarr(path) * 3) for path in stores)
    assert first.graph is second.graph
    assert first.graph is not third.graph
    for number, path in enumerate(stores * 2):
        expected = (np.arange(10) + number % 3) * 3
        np.testing.assert_array_equal((dt.from_zarr(path) * 3).compute(), expected)
        np.testing.assert_array_equal((dt.from_zarr(path) * 3).persist().compute(), expected)


def test_what_rules_tell_operations_is_kept_with_the_plan(stores, monkeypatch):
    def shares(path, count=20):
        x = dt.from_zarr(path)
        return dt.stack([(x > limit / 2).mean() for limit in range(count)])

    first, second = (planned(shares(path)) for path in stores[:2])
    assert first.graph is second.graph
    assert any(isinstance(n.operator, NumpySource) for n in first.graph.nodes)
    for number, path in enumerate(stores[:2]):
        above = (np.arange(10) + number)[:, None] > np.arange(20) / 2
        np.testing.assert_array_equal(shares(path).compute(), above.mean(0))
    monkeypatch.setattr(cache, "MOST_TOLD_BYTES", 0)
    plans = [planned(shares(path, 21)) for path in stores[:2]]
    assert plans[0].graph is not plans[1].graph


def test_writes_are_planned_once_for_all_places(stores, tmp_path):
    def write(source, target):
        return dt.to_zarr(dt.from_zarr(source) * 3, target, compute=False)

    effects = [write(path, tmp_path / f"new {path.name}") for path in stores[:2]]
    plans = [plan_of([effect.node]) for effect in effects]
    assert plans[0].graph is plans[1].graph
    for number, effect in enumerate(effects):
        effect.compute()
        found = dt.from_zarr(tmp_path / f"new {stores[number].name}").compute()
        np.testing.assert_array_equal(found, (np.arange(10) + number) * 3)


def test_an_array_that_replaces_what_it_reads_is_written_once_each_time(stores):
    for step in range(1, 4):
        for path in stores[:2]:
            dt.to_zarr(dt.from_zarr(path) + 1, path, overwrite=True)
        np.testing.assert_array_equal(dt.from_zarr(stores[0]).compute(), np.arange(10) + step)
        np.testing.assert_array_equal(dt.from_zarr(stores[1]).compute(), np.arange(10) + 1 + step)


def test_regions_are_written_where_they_belong(stores):
    for number, path in enumerate(stores[:2]):
        target = dt.from_zarr(path)
        dt.store(dt.zeros(5, dtype="i8") - number, zarr.open(path), regions=slice(0, 5))
        np.testing.assert_array_equal(dt.from_zarr(path)[:5].compute(), [-number] * 5)
        np.testing.assert_array_equal(target[5:].compute(), np.arange(5, 10) + number)


def test_writes_that_meet_are_refused_in_a_plan_that_is_known(tmp_path):
    def write(*names):
        return [dt.to_zarr(dt.ones(4), tmp_path / n, compute=False, overwrite=True) for n in names]

    dt.compute(*write("a", "b"))
    dt.compute(*write("c", "d"))
    with pytest.raises(dt.errors.ConstraintError, match="neither is after"):
        dt.compute(*write("e", "e"))


def test_computes_that_wait_have_tasks_of_their_own(stores, tmp_path):
    """Or a second one, at the same time, would take the first one's end for its own."""

    def waiting(path):
        written = dt.to_zarr(dt.from_zarr(path), tmp_path / f"new {path.name}", compute=False)
        later = dt.to_zarr(
            dt.ones(3), tmp_path / f"later {path.name}", compute=False, after=[written]
        )
        return lower_plan(plan_of([later.node]), ResultMemory.JOINED)[0].graph

    keys = [set(waiting(path).layers) for path in stores[:2]]
    assert not keys[0] & keys[1]


def test_a_rule_of_the_user_may_look_at_a_place(stores):
    @dt.rule(on=ZarrSource, kind="semantic")
    def negative(node):
        return None

    with dt.config(rules=[negative]):
        x = dt.from_zarr(stores[0]) * 3
        assert planned(x).graph is not planned(x).graph


def test_few_are_kept():
    x = dt.asarray(np.arange(3.0))
    first = planned(x + 1)
    for number in range(cache.PLANS_REMEMBERED):
        planned(dt.ones(number + 1) + x[0])
    assert planned(x + 1).graph is not first.graph
    assert len(cache._known) == cache.PLANS_REMEMBERED


def test_a_plan_is_verified_once_as_long_as_it_is_kept(monkeypatch):
    checked = []
    monkeypatch.setattr(PlannedGraph, "verify", lambda plan, results: checked.append(plan))
    for _ in range(3):
        verified_plan_of([(dt.asarray(np.arange(7.0)) * 3).node])
    with dt.config(memory_limit="1 GB"):
        verified_plan_of([(dt.asarray(np.arange(7.0)) * 3).node])
    assert len(checked) == 2
    for _ in range(3):
        lower_plan(plan_of([(dt.asarray(np.arange(7.0)) * 3).node]), ResultMemory.JOINED)
    assert len(checked) == 3  # what becomes of results is another question
    for _ in range(2):
        lower_plan(build_plan([dt.ones(7).node]), ResultMemory.JOINED)
    assert len(checked) == 5  # nobody keeps these


@pytest.mark.parametrize("planned", [lambda x: x.compute(), dt.plan])
def test_a_loop_of_ever_other_formulas_keeps_what_is_remembered_small(planned, monkeypatch):
    monkeypatch.setattr(forgetting, "PLANS_UNTIL_FORGOTTEN", 8)
    clear_caches()
    sizes = []
    for number in range(48):
        planned(scaled(BATCHES[0], number + 0.5))
        sizes.append(sum(one.cache_info().currsize for _, one in cached_functions()))
    assert max(sizes[16:]) <= max(sizes[:16])


LOOP = """
import os
import numpy as np, dask_tapestry as dt
x = np.arange(1000.0)
sizes = []
for number in range(10_000):
    (dt.asarray(x) * 2 + 1).compute()
    if number in (2_000, 9_999):
        with open("/proc/self/statm") as file:
            sizes.append(int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE"))
print(sizes[1] - sizes[0])
"""


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="no file tells of memory")
def test_ten_thousand_computes_keep_memory_flat():
    done = subprocess.run([sys.executable, "-c", LOOP], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 2**21


OTHER_SHAPES = """
import gc, sys
import numpy as np, dask_tapestry as dt
from dask_tapestry.planner import forgetting
forgetting.PLANS_UNTIL_FORGOTTEN = 50
blocks = []
for number in range(900):
    x = dt.asarray(np.ones((1 + number % 30, 1 + number // 30)))
    getattr((x - x.mean(0)).sum(0), "PLANNED")()
    if number % 100 == 99:
        gc.collect()
        blocks.append(sys.getallocatedblocks())
print(blocks[5], blocks[8])  # as many plans are kept as were made when the first are counted
"""


@pytest.mark.parametrize("planned", ["compute", beyond("plan")])  # which a compute does too
def test_computes_of_ever_other_shapes_leave_no_garbage(planned):
    program = OTHER_SHAPES.replace("PLANNED", planned)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    early, late = map(int, done.stdout.split())
    assert late < 1.01 * early  # else of each compute 20 blocks of memory stay
