"""Values that workers cannot hold go through a store; nothing is computed here."""

from graphlib import TopologicalSorter

import numpy as np
import pytest
import zarr

import dask_tapestry as dt
from dask_tapestry.planner.plan_json import dumps, loads
from dask_tapestry.planner.rewriting.exchanged_values import is_exchange
from dask_tapestry.teg.buckets import is_buckets
from tests.covering import beyond

SMALL = dt.Resources(workers=8, threads=2, memory="4 GiB")
NO_STORE = dt.Resources(workers=8, threads=2, memory="4 GiB", temporary_store=False)


def maps():
    return dt.placeholder((14_610, 721, 1440), "f4", (1, 721, 1440))


def stored(x, *chunks):
    return dt.to_zarr(x, "nowhere", chunks=chunks, compute=False)


def exchanges(plan):
    return [n for n in plan.core.graph.nodes if is_exchange(n)]


JOBS = {
    "pencils": lambda: stored(maps(), 14_610, 16, 16),
    "spectra": lambda: stored(dt.fft.rfft(maps(), axis=0), 7306, 16, 16),
    "quantiles": lambda: stored(dt.quantile(maps(), np.linspace(0, 1, 20), axis=0), 20, 721, 1440),
    "sorted": lambda: stored(dt.sort(maps(), axis=0), 14_610, 16, 16),
    "pencils to maps": lambda: stored(
        dt.placeholder((14_610, 721, 1440), "f4", (14_610, 10, 10)), 1, 721, 1440
    ),
}


@pytest.mark.parametrize("job", JOBS)
def test_an_exchange_of_all_reads_and_writes_it_once_more(job):
    plan = dt.plan(JOBS[job](), resources=SMALL)
    assert exchanges(plan)
    assert plan.cost["bytes_read"] <= 3.2 * maps().nbytes
    assert plan.cost["tasks"] < 1000
    assert plan.cost["peak_worker_bytes"] < 0.7 * 2**32
    plan.verify()


def test_it_stays_so_as_the_data_grow():
    x = dt.placeholder((1_000_000, 721, 1440), "f4", (1, 721, 1440))
    plan = dt.plan(stored(x, 1_000_000, 2, 8), resources=SMALL)
    assert plan.cost["bytes_read"] <= 2.05 * x.nbytes
    assert plan.cost["tasks"] < 10_000
    plan.verify()


def test_without_a_store_that_all_reach_none_is_planned():
    plan = dt.plan(JOBS["pencils"](), resources=NO_STORE)
    assert not exchanges(plan)
    assert plan.cost["bytes_read"] > 3 * maps().nbytes


def test_what_workers_can_hold_stays_with_them():
    machines = dt.Resources(workers=50, threads=4, memory="16 GiB")
    x = dt.placeholder((1461, 721, 1440), "f4", (1, 721, 1440))
    assert not exchanges(dt.plan(stored(x, 1461, 16, 16), resources=machines))


def test_a_store_that_is_slow_for_all_is_left_alone():
    machines = dt.Resources(workers=50, threads=4, memory="16 GiB", store_bandwidth="2 GB/s")
    assert not exchanges(dt.plan(JOBS["pencils"](), resources=machines))


def test_a_scheduler_that_would_cut_a_hundred_thousand_slices_is_spared():
    x = dt.placeholder((2000, 4096, 4096), "u2", (1, 4096, 4096))
    machines = dt.Resources(workers=32, threads=4, memory="8 GiB")
    plan = dt.plan(stored(x - dt.median(x, axis=0), 1, 4096, 4096), resources=machines)
    assert exchanges(plan) or any(step.cost.parts for step in plan.core.steps.values())
    assert plan.cost["tasks"] < 3000
    plan.verify()


def test_a_saved_plan_has_its_exchanges():
    job = JOBS["pencils"]()
    plan = dt.plan(job, resources=SMALL)
    again = loads(dumps(plan.core), [job.node])
    assert [str(n) for n in again.graph.nodes] == [str(n) for n in plan.core.graph.nodes]
    assert again.cost == plan.core.cost
    again.verify()


def test_the_plan_says_what_it_does():
    text = str(dt.plan(JOBS["spectra"](), resources=SMALL))
    assert "exchanged, rfft" in text


BOTH = {  # values that the write and its readers read
    "sorted twice": lambda x, v: dt.sort(dt.sort(x - v, axis=2), axis=0) * v,
    "transformed twice": lambda x, v: (
        dt.abs(dt.fft.fft(dt.fft.fft2(x * v, axes=(1, 2)), axis=0)) * v
    ),
    "over its mean": lambda x, v: (
        dt.sort(dt.sort(x / x.mean(axis=0), axis=2), axis=0) * x.mean(axis=0)
    ),
}


@pytest.mark.parametrize(  # a mean is planned for half a minute, and waits as a vector does
    "job", [beyond(job) if job == "over its mean" else job for job in BOTH]
)
def test_no_step_waits_for_a_store_that_waits_for_it(job):
    v = dt.sort(dt.placeholder((721, 1440), "f4", (721, 1440)), axis=1)
    plan = dt.plan(stored(BOTH[job](maps(), v), 14_610, 16, 16), resources=SMALL)
    assert exchanges(plan)
    graph = plan.graph()
    sorted_layers(graph.dependencies)


def sorted_layers(dependencies):
    """Raise `CycleError` if layers wait for each other in a circle."""
    return list(TopologicalSorter(dependencies).static_order())


@pytest.mark.exhaustive  # each takes half a minute; `JOBS` and `RANGES` sort years, not a century
@pytest.mark.parametrize(
    ("name", "workers"),
    [("nanmedian", 100), ("nanquantile", 99), ("nanmedian", 99), ("nanquantile", 100)],
)
def test_what_is_sorted_in_one_piece_then_is_read_twice_at_most(name, workers):
    hours = dt.placeholder((1_059_014, 721, 1440), "f4", (1, 721, 1440))
    made = dt.nanmedian(hours, 0) if name == "nanmedian" else dt.nanquantile(hours, [0.1, 0.9], 0)
    plan = made.plan(resources=dt.Resources(workers=workers, threads=4, memory="16 GiB"))
    assert exchanges(plan)
    assert plan.cost["bytes_read"] <= 2.05 * hours.nbytes
    assert plan.cost["tasks"] < 1e5


RANGES = {
    "of a function of lanes": lambda x: dt.apply_gufunc(
        lambda lanes: np.ptp(lanes, -1), "(t)->()", dt.moveaxis(x, 0, -1), output_dtypes="f4"
    ),
    "sorted": lambda x: dt.sort(x, axis=0),
    "as asked": lambda x: x.rechunk((-1, 10, 10)),
}


MANY_HOURS, FEW_HOURS = (1_059_014, 10, "32 GiB"), (26_475, 100, "16 GiB")


@pytest.mark.parametrize(
    ("job", "hours", "workers", "memory"),
    [
        (job, *many) if (job, many) != ("sorted", MANY_HOURS) else beyond(job, *many)
        for job in RANGES
        for many in (MANY_HOURS, FEW_HOURS)
    ],  # the sort of many takes a minute
)
def test_chunks_are_those_of_the_blocks_that_read_them(job, hours, workers, memory):
    """Chunks that were chosen for blocks which no worker holds would be read several times."""
    x = dt.placeholder((hours, 721, 1440), "f4", (1, 721, 1440))
    machines = dt.Resources(workers=workers, threads=8 if workers == 10 else 4, memory=memory)
    plan = RANGES[job](x).plan(resources=machines)
    assert plan.cost["bytes_read"] <= 2.05 * x.nbytes
    assert plan.cost["tasks"] < 1e5


LONG = 160_000_000  # 1.28 GB, and all workers have .6 for it
TWO = dt.Resources(workers=2, threads=1, memory="500 MB")


def long_vector(dtype="f8", n=LONG):
    return dt.placeholder((n,), dtype, stored_chunks=(2_000_000,))


def weighted_median(x, weights):
    """The lower weighted median, as one writes it with NumPy."""
    order = dt.argsort(x)
    total = dt.cumsum(dt.take(weights, order))
    return dt.take(dt.take(x, order), dt.searchsorted(total, total[-1] // 2))


def records():
    return dt.placeholder((10**8,), [("a", "i4"), ("b", "f8")], (2_000_000,))


LONG_JOBS = {  # with how often they read and write all cells at most
    "sort": (lambda x: stored(dt.sort(x), 2_000_000), 9),
    "sort of texts": (lambda x: dt.sort(long_vector("S8"))[::1000], 9),
    "argsort": (lambda x: stored(dt.argsort(x), 2_000_000), 20),
    "every thousandth": (lambda x: dt.sort(x)[::1000], 9),
    "lexsort": (lambda x: stored(dt.lexsort((x, long_vector())), 2_000_000), 32),
    "in another order": (lambda x: stored(x[dt.argsort(long_vector())], 2_000_000), 32),
    "weighted median": (lambda x: weighted_median(x, long_vector("i8")), 60),
    "records": (lambda _: dt.sort(records(), order="b")[::1000], 32),
    "of 6 GB": (lambda _: stored(dt.sort(long_vector(n=8 * 10**8)), 2_000_000), 60),
}


def test_a_block_may_read_nothing_of_a_value_that_is_held():
    parts = [dt.placeholder((80_000, 80_000), "f8", (4000, 4000)) for _ in range(4)]
    joined = dt.block([parts[:2], parts[2:]])
    p = dt.plan(joined @ dt.ones(160_000), joined.T[:7].sum(1), resources=SMALL)
    assert p.cost["bytes_read"] <= 1.25 * sum(part.nbytes for part in parts)


AT_NIGHT = "weighted median", "of 6 GB", "records"  # they are made of the sorts of others


@pytest.mark.parametrize("job", [beyond(j) if j in AT_NIGHT else j for j in LONG_JOBS])
def test_what_forms_hold_on_their_way_goes_through_a_store(job):
    make, times = LONG_JOBS[job]
    plan = dt.plan(make(long_vector()), resources=TWO)
    assert any(is_buckets(node.type) for node in exchanges(plan))
    assert plan.cost["bytes_read"] <= times * long_vector().nbytes
    assert "exchanged" in str(plan)
    plan.verify()
    again = loads(dumps(plan.core), list(plan.core.written.roots))
    assert again.cost == plan.core.cost


@pytest.mark.exhaustive  # as a shorter one is in `test_search.py`
def test_without_a_store_a_long_sort_is_refused():
    few = dt.Resources(workers=2, threads=1, memory="500 MB", temporary_store=False)
    with pytest.raises(dt.MemoryLimitError, match=r"2 workers, 1 thread of .* each would do"):
        dt.plan(stored(dt.sort(long_vector()), 2_000_000), resources=few, budget=0)


@pytest.mark.parametrize("places", [beyond(False), True])  # places are sorted with their cells
def test_a_vector_larger_than_memory_is_sorted_as_numpy_does(tmp_path, places):
    random, n = np.random.default_rng(0), 4_000_000
    cells = np.where(random.random(n) < 0.1, np.nan, random.integers(-9, 9, n) / 4)
    x = dt.from_zarr(zarr.create_array(tmp_path / "x.zarr", data=cells, chunks=n // 64))
    made = dt.argsort(x) if places else dt.sort(x)
    job = dt.to_zarr(made, tmp_path / "o.zarr", chunks=n // 64, compute=False)
    few = dt.Resources(workers=2, threads=1, memory="48 MB" if places else "16 MB")
    with dt.config(temporary_store=tmp_path):
        plan = dt.plan(job, resources=few)
        assert any(is_buckets(node.type) for node in exchanges(plan))
        plan.compute(scheduler="sync")
    wanted = np.argsort(cells, kind="stable") if places else np.sort(cells)
    np.testing.assert_array_equal(zarr.open_array(tmp_path / "o.zarr")[:], wanted)


@pytest.mark.parametrize("flat", [True, False])
def test_runs_of_a_sort_are_stored_once_and_tiles_are_read_once(flat):
    machines = dt.Resources(workers=16, threads=2, memory="8 GiB")
    shape, chunks = ((32 * 10**9,), (16_000_000,)) if flat else ((178_000,) * 2, (2000, 2000))
    x = dt.placeholder(shape, "f8", chunks)
    plan = dt.plan(dt.sort(x, axis=None), resources=machines)
    assert plan.cost["bytes_read"] < 4.5 * x.nbytes  # itself, runs twice, buckets
    assert plan.cost["tasks"] < 5000
    plan.verify()


def lengths(x):
    return (abs(x[:, 0, 0]) * 10).astype("i4")


SHARED_MASKS = {
    "lengths": lambda x: dt.arange(4000, dtype="i4") < lengths(x)[:, None, None],
    "rows": lambda x: lengths(x)[:, None, None] > 0,
    "largest": lambda x: x > x.max(axis=2, keepdims=True) / 2,
}
OTHERS = {
    "sum": lambda x, _: x.sum(axis=2),
    "masked sum": lambda x, mask: dt.where(mask, x, 1).sum(axis=2),
    "places": lambda x, _: dt.take_along_axis(x, lengths(x)[:, None, None], axis=2)[..., 0],
}


@pytest.mark.few(3)  # each mask and each other value
@pytest.mark.parametrize("mask", SHARED_MASKS)
@pytest.mark.parametrize("other", OTHERS)
def test_what_is_read_jointly_may_be_made_of_what_goes_through_a_store(mask, other):
    x = dt.placeholder((100_000, 3, 4000), "f4", stored_chunks=(391, 3, 500))
    chosen = SHARED_MASKS[mask](x)
    last = dt.cumsum(dt.where(chosen, x, np.float32(0)), axis=2)[..., -1]
    plan = dt.plan(last, OTHERS[other](x, chosen), resources=dt.Resources(2, 2, "500 MiB"))
    plan.verify()
    assert plan.cost["bytes_read"] <= 3 * x.nbytes
