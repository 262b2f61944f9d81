"""Every reduction, scan and histogram has one value for all shardings, schedulers and dtypes."""

import os
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from random import Random

import dask
import numpy as np
import pytest
from distributed import Client, LocalCluster

import dask_tapestry as dt
from tests.comparisons import same_bits
from tests.compiling import by_turns, however_few
from tests.covering import seeds_of
from tests.one_value.calls import (
    Call,
    all_calls,
    few_calls,
    is_scan,
    on_many_cells,
    other_calls,
)
from tests.one_value.shardings import MORE, SHARDINGS, Sharding, process_of

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # as of NaN and of overflow
EXPECTED = {}
OWN = ("reduction", "reduce_over")
ROUGH = [s for s in SHARDINGS if s.name in ("odd", "a cell less", "stored in blocks", "3 workers")]
EVERY = (*SHARDINGS, *MORE)
SIXTHS = seeds_of(range(6), 1)  # of the calls
WAYS = ("sync", "threads", "processes", "workers")
slowly = [pytest.param(s, marks=pytest.mark.slow) for s in MORE]
each_sharding = pytest.mark.parametrize("sharding", [*SHARDINGS, *slowly], ids=lambda s: s.name)
each_rough = pytest.mark.parametrize("sharding", ROUGH, ids=lambda s: s.name)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("stored")


@pytest.fixture(scope="module")
def processes():
    """Two processes, started once, that Dask's scheduler of that name computes in."""
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        yield {"scheduler": "processes", "pool": pool}


@pytest.fixture(scope="module")
def cluster():
    """A scheduler, and two workers in processes of their own."""
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    with LocalCluster(**options) as made, Client(made):
        yield


def results(calls: Sequence[Call], sharding: Sharding, folder) -> list[list[dt.Array]]:
    """What the calls make of arrays that are made as the sharding says, each array once."""
    made = {}

    def array(x):
        key = x.shape, x.dtype, x.tobytes()
        if key not in made:
            made[key] = sharding.make(x, folder)
        return made[key]

    return [call.on([array(x) for x in call.inputs]) for call in calls]


def values(calls, sharding, folder, together=True):
    """The results' values: all of about one size planned at once, or each by itself."""
    sizes = {}
    for call in calls:
        sizes.setdefault(max(x.nbytes for x in call.inputs).bit_length(), []).append(call)
    for group in sizes.values():
        with sharding.planned(max(x.nbytes for call in group for x in call.inputs)):
            made = results(group, sharding, folder)
            if together:
                computed = iter(dask.compute(*[r for rs in made for r in rs]))
            else:
                computed = (value for rs in made for value in dask.compute(*rs))
            for call, rs in zip(group, made, strict=True):
                for number in range(len(rs)):
                    yield call, number, next(computed)


def expected(calls, sharding, folder):
    """Their values when nothing is cut, of arrays as the sharding makes them."""
    uncut = SHARDINGS[0]._replace(name=sharding.name, make=sharding.make)
    known = EXPECTED.setdefault(sharding.name, {})  # names of calls alone are not unique
    new = [c for c in calls if (str(c), c.function, 0) not in known]
    with dask.config.set(scheduler="sync"):
        for call, n, value in values(new, uncut, folder):
            known[str(call), call.function, n] = value
    return known


def has_one_value(calls, sharding, folder, together=True):
    """Scans of what is stored have the value of its own chunks: leaves of scans follow these."""
    if sharding.workers >= 100:
        calls = [c for c in calls if c.public not in OWN]  # see test_many_workers_for_a_monoid
    stored = sharding.name.startswith("stored")
    own, others = ([c for c in calls if (stored and is_scan(c)) is way] for way in (True, False))
    whole = expected(others, SHARDINGS[0], folder) | expected(own, sharding, folder)
    misses = []
    for call, n, value in values(calls, sharding, folder, together):
        other = whole[str(call), call.function, n]
        if not same_bits(value, other):
            misses.append(f"{call} [{n}]: {np.ravel(value)[:3]}, not {np.ravel(other)[:3]}")
    assert not misses, f"{sharding.name}: {len(misses)} have another value\n" + "\n".join(misses)


def share(calls, number, parts):
    """One of `parts` shares of the calls: as many successive numbers take all of them."""
    return calls[number % parts :: parts]


@each_sharding
def test_in_threads_all_together(sharding, folder):
    with dask.config.set(scheduler="threads", num_workers=3):
        has_one_value(share(few_calls(), EVERY.index(sharding), len(EVERY)), sharding, folder)


@pytest.mark.few(8)  # all are met in threads, above
@each_sharding
def test_in_one_thread_each_by_itself(sharding, folder):
    with dask.config.set(scheduler="sync"):
        calls = share(few_calls(), EVERY.index(sharding), 80)
        has_one_value(calls, sharding, folder, together=False)


@pytest.mark.few(1)  # kernels are met in blocks of any length
@each_rough
def test_with_kernels_that_come_and_go(sharding, folder):
    """Of two blocks one may be interpreted and the other compiled."""
    calls = share(few_calls(), 7 * ROUGH.index(sharding), 90)
    whole = expected(calls, SHARDINGS[0], folder)
    assert whole
    with dask.config.set(scheduler="sync"), by_turns(Random(1)), however_few():
        has_one_value(calls, sharding, folder, together=False)


@pytest.mark.few(8)  # all are met in threads, above
@pytest.mark.cluster
@each_sharding
def test_in_processes_all_together(sharding, folder, processes):
    with dask.config.set(processes):
        has_one_value(share(few_calls(), EVERY.index(sharding), 120), sharding, folder)


@pytest.mark.cluster
def test_processes_are_others(processes):
    with dask.config.set(processes):
        seen = dt.map_blocks(process_of, dt.zeros(4).rechunk(1), dtype="i8").compute()
    assert os.getpid() not in seen


@pytest.mark.few(2)  # all are met in threads, above
@pytest.mark.cluster
@pytest.mark.usefixtures("cluster")
@each_rough
def test_on_workers_all_together(sharding, folder):
    has_one_value(share(few_calls(), ROUGH.index(sharding), 36), sharding, folder)


@pytest.mark.few(2)  # all are met in threads, above
@pytest.mark.slow
@each_rough
def test_every_way_to_call_them(sharding, folder):
    with dask.config.set(scheduler="threads", num_workers=3):
        calls = share(all_calls(), ROUGH.index(sharding), 96)
        has_one_value([*map(on_many_cells, calls)], sharding, folder)


@pytest.mark.few(2)  # all are met in threads, above
@pytest.mark.slow
@each_rough
def test_what_folds_on_its_way_to_something_else(sharding, folder):
    with dask.config.set(scheduler="threads", num_workers=3):
        calls = share(other_calls(), ROUGH.index(sharding), 96)
        has_one_value([*map(on_many_cells, calls)], sharding, folder)


@pytest.mark.exhaustive
@pytest.mark.parametrize("sharding", EVERY, ids=lambda s: s.name)
@pytest.mark.parametrize("way", WAYS)
def test_every_call_in_every_way(way, sharding, folder, request):
    """The calls of which the tests above try shares."""
    given = {"scheduler": way, "num_workers": 3}
    if way == "processes":
        given = request.getfixturevalue("processes")
    elif way == "workers":
        request.getfixturevalue("cluster")
        given = {}
    with dask.config.set(given):
        has_one_value(few_calls(), sharding, folder, together=way != "sync")


@pytest.mark.exhaustive
@each_rough
def test_every_call_of_more_functions(sharding, folder):
    with dask.config.set(scheduler="threads", num_workers=3):
        has_one_value([*map(on_many_cells, (*all_calls(), *other_calls()))], sharding, folder)


@pytest.mark.parametrize("part", SIXTHS)
def test_zeros_of_both_signs_and_nan(folder, part):
    """Which of two zeros is taken, and of NaN and a number, is the same everywhere."""
    random = np.random.default_rng(2)
    calls = []
    for call in few_calls():
        if call.kind == "f8" and len(call.inputs) == 1 and call.public not in NO_NAN:
            for cells in ([0.0, -0.0], [0.0, -0.0, np.nan, np.inf, -np.inf]):
                drawn = random.choice(cells, call.inputs[0].shape)
                calls.append(call._replace(name=f"{call.name} {cells}", inputs=(drawn,)))
    assert len(calls) > 100
    calls = share(calls, part, len(SIXTHS))
    with dask.config.set(scheduler="threads"):
        for turn, sharding in enumerate(ROUGH[:2]):  # each call meets one with each set of cells
            has = [call for n, call in enumerate(calls) if (n + n // 2) % 2 == turn]
            has_one_value(has, sharding, folder)


NO_NAN = ("histogram", "histogram_bin_edges", "nanargmin", "nanargmax")  # which refuse NaN
LCM = np.random.default_rng(0).integers(1, 100, (2, 7001))


TRUTHS = ("logical", "count_nonzero")  # fold truth values, which are too few bytes to be cut


def folds_bytes(call):
    return call.public.startswith(TRUTHS) or call.inputs[0].dtype.itemsize == 1


@pytest.mark.parametrize("part", SIXTHS)
def test_folds_are_cut(folder, part):
    """By the plan, which counts what is read, folded and combined."""
    (sharding,) = [s for s in SHARDINGS if s.name == "3 workers"]
    whole = []
    for call in share(few_calls(), part, len(SIXTHS)):
        with sharding.planned(max(x.nbytes for x in call.inputs)):
            (made,) = results([call], sharding, folder)
            if dt.plan(*made).cost["tasks"] < 3 and not folds_bytes(call):
                whole.append(str(call))
    assert not whole


def test_multiples_that_overflow():
    values = set()
    for parts in (1, 9):
        with Sharding("", None, parts).planned(LCM.nbytes):
            values.add(np.lcm.accumulate(dt.asarray(LCM), axis=-1).compute().tobytes())
    assert len(values) == 1


def test_many_workers_for_a_monoid():
    x = dt.ones((117, 301))
    with Sharding("", None, parts=12, workers=1000, threads=4).planned(x.nbytes):
        dt.plan(dt.reduction(x, dt.Monoid(0, np.add)))
