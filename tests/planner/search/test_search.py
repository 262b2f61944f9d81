"""The plan that is found."""

from math import inf
from types import SimpleNamespace

import pytest
import zarr

import dask_tapestry as dt
from dask_tapestry.planner.cost.rank import NOTHING
from dask_tapestry.planner.machine.limits import Limits
from dask_tapestry.planner.machine.machine import Machine
from dask_tapestry.planner.memory.memory import fullest_workers, least_share
from dask_tapestry.planner.memory.results import ResultMemory
from dask_tapestry.planner.search import one_space
from dask_tapestry.planner.search import search as module
from dask_tapestry.planner.search.budget import NO_EFFORT, TO_FIT, WORTH
from dask_tapestry.planner.search.plan_spaces import plan_spaces
from dask_tapestry.planner.search.search import search, steps_of
from dask_tapestry.planner.search.tuning import FAR_BETTER, MANY_ROUNDS
from dask_tapestry.teg import Graph
from tests.planner.graphs import FOUR, stored

MANY = dt.Resources(workers=64, threads=4, memory="16 GiB")


def test_steps_say_all_that_a_plan_needs():
    y = stored().sum(axis=1) + 1
    steps = steps_of(search(Graph([y.node]), FOUR).state, Machine.of(FOUR))
    *_, last = steps.values()
    assert last.node is y.node
    assert last.cost.blocks == last.count
    assert last.needs.work >= last.cost.work, "of the worst block, and of the largest one"
    assert last.second is not None


def test_one_block_an_operator():
    (step,) = search(Graph([(stored((10_000, 1000)) + 1).node]), FOUR, "none").state.placed.values()
    assert step.cost.blocks == 1


def test_the_same_question_has_the_same_answer():
    x = stored((10_000, 10_000), "f8", (2000, 2000))
    graph = Graph([(x @ x + x.mean(axis=0)).node])
    first, second = (search(graph, FOUR).state for _ in range(2))
    assert [p.grid for p in first.placed.values()] == [p.grid for p in second.placed.values()]
    assert first.choices == second.choices


def test_smaller_tasks_are_not_searched_whose_seed_is_slower_than_what_was_found(monkeypatch):
    y = stored((10_000, 10_000), "f8", (2000, 2000)).sum(axis=1)
    state, most = search(Graph([y.node]), FOUR).state, []

    def found(space, effort, seed):
        most.append(space.most_seconds)
        given_up = len(most) == 2
        hope = state.rank.with_seconds(0.5)
        return one_space.SearchResult(
            state, hope=hope, seed_seconds=0.75 * state.seconds, given_up=given_up
        )

    monkeypatch.setitem(one_space.SEARCHES, "auto", found)
    search(Graph([y.node]), FOUR)
    assert most == [inf, 1.5 * state.seconds], "by as much as the first one may be shortened"


def test_still_smaller_tasks_are_not_tried_where_they_gave_nothing(monkeypatch):
    y = stored((10_000, 10_000), "f8", (2000, 2000)).sum(axis=1)
    state = search(Graph([y.node]), FOUR).state
    better, asked = state.rank.with_seconds(0.5), []
    for hope, tried in ((None, 1), (state.rank, 1), (better, 2)):
        asked.clear()

        def found(space, effort, seed, hope=hope):
            asked.append(space)
            return one_space.SearchResult(state, hope=hope)

        monkeypatch.setitem(one_space.SEARCHES, "auto", found)
        assert search(Graph([y.node]), FOUR).state is state
        assert len(asked) == tried


def test_tasks_may_take_more_than_half_of_the_memory_where_they_must():
    lanes = stored((4, 20_000_000), "f8", (1, 20_000_000))
    tight = dt.Resources(workers=4, threads=1, memory="700 MB")
    assert search(Graph([(lanes + 1).node]), tight).state.shortfall == 0


def test_what_cannot_fit_is_refused_by_name():
    tight = dt.Resources(workers=4, threads=1, memory="70 MB")
    x = stored((100, 10_000_000), "f8", (1, 10_000_000)).rechunk((1, -1))
    with pytest.raises(dt.MemoryLimitError, match=r"rechunk float64\[100, 10000000\].*smallest"):
        search(Graph([x.node]), tight)


def test_a_job_worth_less_than_one_change_is_planned_as_it_is_seeded():
    x = stored((10_000, 10_000), chunks=(1000, 1000))
    short = search(Graph([(dt.sqrt(x) + 1).node]), MANY)
    assert not short.points
    assert search(Graph([(dt.sqrt(x) + 1).node]), MANY, budget=1.0).points


def test_short_jobs_are_searched_for_as_long_ones_where_nothing_else_fits():
    x = dt.random.default_rng(0).random(4 * 10**7)
    machines = dt.Resources(workers=4, threads=4, memory="0.64 GB")
    p = dt.plan(dt.sort(x), resources=machines)
    p.verify()
    assert p.cost["bytes_moved"] < 1.1 * x.nbytes


def searched(x, resources, monkeypatch):
    """In how many rounds results were to be fetched, in each search."""
    found, within = [], module._within_shares

    def noted(spaces, *options):
        found.append(spaces[0].rounds)
        return within(spaces, *options)

    monkeypatch.setattr(module, "_within_shares", noted)
    return dt.plan(x, resources=resources).core, found


def test_results_that_no_plan_can_hold_are_planned_to_be_fetched_in_rounds(monkeypatch):
    small = dt.Resources(workers=2, threads=1, memory="40 MB")
    x = dt.placeholder((1000, 10**4), "float64", stored_chunks=(10, 10**4)) + 1
    plan, rounds = searched(x, small, monkeypatch)
    assert rounds == [1, MANY_ROUNDS]  # nothing is looked for that cannot be
    assert not fullest_workers(plan).fits
    assert fullest_workers(plan).bytes >= least_share(x.nbytes, 2)
    assert fullest_workers(plan, rounds=1000).fits
    plan.verify(ResultMemory.FETCHED)


def test_results_that_fit_are_not_planned_in_rounds(monkeypatch):
    small = dt.Resources(workers=2, threads=1, memory="400 MB")
    x = dt.placeholder((1000, 10**4), "float64", stored_chunks=(10, 10**4)) + 1
    plan, rounds = searched(x, small, monkeypatch)
    assert rounds == [1]
    assert fullest_workers(plan).fits


@pytest.mark.few(1)  # half a minute for one branch
@pytest.mark.parametrize("is_long", [True, False])
def test_what_fits_in_no_way_is_looked_for_first_in_the_one_that_allows_most(monkeypatch, is_long):
    """After a long search there is one more, and the memory that would do is asked for at once."""
    efforts, within = [], module._within_shares

    def noted(spaces, method, effort, *options):
        efforts.append((effort, spaces[0].rounds, spaces[0].pricing.limits.alone > 0))
        return within(spaces, method, effort, *options)

    monkeypatch.setattr(module, "_within_shares", noted)
    monkeypatch.setattr(module, "costs_worth", lambda _: is_long * TO_FIT.costs)
    monkeypatch.setattr(module, "WORTH_TO_FIT", TO_FIT.costs)
    small = dt.Resources(workers=2, threads=1, memory="10 MB")
    with pytest.raises(dt.MemoryLimitError, match=r"2 workers, 1 thread of .* each would do"):
        dt.plan(dt.sort(stored((10**7,), "f8", (10**5,))), resources=small)
    assert efforts[:2] == [(WORTH, 1, False), (TO_FIT, MANY_ROUNDS, True)]
    assert (efforts[2][0] == NO_EFFORT) == is_long


def test_what_does_not_fit_beside_a_plan_that_does_is_given_up_unless_it_is_far_better(monkeypatch):
    small = dt.Resources(workers=2, threads=1, memory="20 MB")
    graph = Graph([dt.sort(stored((10**7,), "f8", (10**5,))).node])
    ways = []
    monkeypatch.setattr(module, "_found_in", lambda *_: ways.append(1) or [])
    best = search(graph, small, beside=NOTHING)
    assert best.given_up
    assert best.limits is not None
    assert not ways
    assert search(graph, small, beside=best.rank.with_seconds(1.1 / FAR_BETTER)).given_up
    assert ways == [1]


@pytest.mark.parametrize(
    ("fits_at", "has_more", "spent"),
    [
        (0, False, [100, 5000]),
        (100, False, [100]),
        (5000, False, [100, 5000]),
        (5000, True, [100]),  # workers have more memory, which is filled first
    ],
)
def test_ways_are_searched_as_long_as_plans_are_worth_before_longer(
    monkeypatch, fits_at, has_more, spent
):
    tried, plan = [], SimpleNamespace(seconds=0.5)
    space = SimpleNamespace(resources=SimpleNamespace(has_more=has_more))

    def first_that_fit(ways, method, seed, misfits, most):
        tried.append(most.costs)
        return [plan] * (most.costs == fits_at)

    monkeypatch.setattr(module, "_first_that_fit", first_that_fit)
    misfits = [SimpleNamespace(state=SimpleNamespace(seconds=s), space=space) for s in (2.0, 0.5)]
    found = module._found_in([], "auto", 0, misfits)
    assert found == [plan] * (fits_at in spent)
    assert tried == spent


def test_smaller_tasks_are_not_searched_where_none_of_the_larger_ones_is_small_enough(monkeypatch):
    graph = Graph([(stored((400, 200_000), "f8", (1, 200_000)) + 1).node])
    spaces, searched = plan_spaces(graph, dt.Resources(4, 1, "2 GB"), "auto"), []
    assert len(spaces) > 2

    def found(space, *_):
        searched.append(space)
        lacking = SimpleNamespace(shortfall=int(len(searched) == 2), seconds=1.0)
        return one_space.SearchResult(lacking)

    monkeypatch.setitem(one_space.SEARCHES, "auto", found)
    for space in spaces:
        space.fits = space.fits_at_worst = lambda _: False
    misfits = []
    assert module._within_shares(spaces, "auto", WORTH, 0, misfits) == []
    assert searched == [one.space for one in misfits] == spaces[:2]


def turned():
    return dt.placeholder((12_500_000, 10), "f8").reshape((10, 12_500_000))


def summed():
    return dt.placeholder((16_000, 8000), "f8", (500, 8000)).reshape((8000, 16_000)).sum(axis=0)


def transformed():
    return dt.fft.rfft(dt.placeholder((16_000, 8000), "f8", (500, 8000)), axis=0)


def run_along():
    return dt.placeholder((16_000, 8000), "f8", (500, 8000)).cumsum(axis=0).T


@pytest.mark.few(4)  # each job and network
@pytest.mark.parametrize("job", [turned, summed, transformed, run_along])
@pytest.mark.parametrize("bandwidth", [10**7, 10**9, 19 * 10**9, 10**12])
def test_what_fits_with_some_network_fits_with_any(job, bandwidth):
    """Of live clusters the rates differ, and so does the fastest plan; they can hold as much."""
    machines = dt.Resources(workers=4, threads=2, memory="700 MB", bandwidth=bandwidth)
    dt.plan(job(), resources=machines).verify()


TWO_AT_A_TIME = dt.Resources(workers=2, threads=2, memory="1.6 GB")  # tasks of 540 MB each


@pytest.fixture
def large_chunks(tmp_path):
    """An array whose compressed chunks take 512 MB each, and as much again while they are read."""
    shape, chunks = (4000, 64_000), (1000, 64_000)
    zarr.create_array(tmp_path / "x", shape=shape, chunks=chunks, dtype="f8")
    return dt.from_zarr(tmp_path / "x")


@pytest.mark.few(2)  # one question each
@pytest.mark.parametrize(
    "job",
    [
        lambda x: x[100:110],
        lambda x: x[990:1010] + 1,
        lambda x: x.sum(axis=1),
        lambda x: dt.sort(x[5]),
        lambda x: dt.max(x[:, ::2], axis=0),
    ],
)
def test_blocks_too_large_to_be_computed_side_by_side_are_computed_one_by_one(large_chunks, job):
    plan = dt.plan(job(large_chunks), resources=TWO_AT_A_TIME)
    plan.core.verify(ResultMemory.FETCHED)
    alone = [step for step in plan.core.steps.values() if step.machine.alone]
    assert alone
    for step in alone:
        assert step.cost.work > Limits.of(TWO_AT_A_TIME).task
        assert step.machine.slots == 2
    assert "one at a time on a worker" in plan.explain()
    assert plan.cost["peak_worker_bytes"] >= max(step.needs.work for step in alone)


def test_no_block_is_computed_alone_that_need_not_be(large_chunks):
    jobs = (large_chunks[100:110], "4 GB"), (large_chunks.mean(axis=0), "12 GB")
    for x, memory in jobs:
        roomy = dt.Resources(workers=2, threads=2, memory=memory)
        steps = dt.plan(x, resources=roomy).core.steps.values()
        assert not any(step.machine.alone for step in steps)


def test_blocks_are_computed_alone_where_chunks_would_be_read_again(large_chunks):
    plan = dt.plan(large_chunks.mean(axis=0), resources=dt.Resources(2, 2, memory="3 GB"))
    assert plan.cost["bytes_read"] == large_chunks.nbytes
    assert any(step.machine.alone for step in plan.core.steps.values())


def test_what_does_not_fit_alone_either_is_refused(large_chunks):
    small = dt.Resources(workers=2, threads=2, memory="1.4 GB")
    with pytest.raises(dt.MemoryLimitError, match="smallest block"):
        dt.plan(large_chunks[100:110], resources=small)


def taking(seconds, is_searched=True):
    state = SimpleNamespace(seconds=seconds, shortfall=0)
    return SimpleNamespace(state=state, is_searched=is_searched)


@pytest.mark.parametrize(("others", "last"), [([3], [7]), ([], [7]), ([3], [])])
def test_the_last_way_is_compared_with_others_where_it_was_searched_first(
    monkeypatch, others, last
):
    """It is, where there is a faster plan that workers cannot hold."""
    found = {"others": list(map(taking, others)), "last": list(map(taking, last))}
    monkeypatch.setattr(module, "_within_shares", lambda spaces, *_: found[spaces[0]])
    monkeypatch.setattr(module, "fits_there", lambda *_: False)
    ways = [["others"], ["last"]]
    plans = module._first_that_fit(ways, "auto", 0, [taking(2)])
    assert [one.state.seconds for one in plans] == [*others, *last]


@pytest.mark.parametrize(("fits", "misfit"), [(True, 2), (False, 7), (False, 9)])
def test_no_way_is_searched_where_a_plan_found_fits_already_or_is_the_fastest(
    monkeypatch, fits, misfit
):
    searched, plan = [], taking(7)
    monkeypatch.setattr(
        module, "_within_shares", lambda spaces, *_: searched.append(spaces) or [plan]
    )
    monkeypatch.setattr(
        module, "fits_there", lambda found, space: fits and (found, space) == (plan, "others")
    )
    assert module._first_that_fit([["others"], ["last"]], "auto", 0, [taking(misfit)]) == [plan]
    assert searched == [["last"]]


def test_ways_that_were_never_searched_are_for_as_long_as_what_fits_is_worth(monkeypatch):
    """Of results that workers cannot hold a seed is known alone, which may be far worse."""
    efforts = {}

    def found_in(spaces, method, effort, *_):
        efforts[spaces[0]] = effort.costs
        return [taking(len(spaces[0]))]

    monkeypatch.setattr(module, "_within_shares", found_in)
    monkeypatch.setattr(module, "fits_there", lambda _, *spaces: spaces == ("others",))
    monkeypatch.setattr(module, "costs_worth", lambda state: 100 * state.seconds)
    for is_searched, seconds in ((True, [4]), (False, [6, 4])):
        known = [taking(99, is_searched)]
        plans = module._first_that_fit([["others"], ["last"]], "auto", 0, known)
        assert [one.state.seconds for one in plans] == seconds
    assert efforts == {"last": TO_FIT.costs, "others": 400}


def test_results_that_workers_cannot_hold_are_refused_at_once(monkeypatch):
    """No plan is improved for any share of memory; the error says what lacks, and what does."""
    monkeypatch.setattr(one_space, "improve", None)
    few = dt.Resources(workers=2, threads=2, memory="500 MiB", filled=True)
    x = dt.placeholder((30_000, 60, 1000), "f4", stored_chunks=(100, 60, 1000))
    y = dt.abs(x).reshape(3000, 10, 60, 1000).mean(axis=1)
    with pytest.raises(dt.MemoryLimitError, match=r"on one worker, which has .* would do"):
        search(Graph([y.node, y.std(axis=0).node]), few, seed=1)
