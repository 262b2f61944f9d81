import pytest
import zarr

import dask_tapestry as dt
from dask_tapestry.planner.cost.rank import Rank
from dask_tapestry.planner.search.local_search import moves
from dask_tapestry.planner.search.plan_spaces import (
    crowding_results,
    fetch_rounds,
    may_hold_results,
    plan_spaces,
    smaller_may_gain,
)
from dask_tapestry.planner.search.tuning import MANY_ROUNDS
from dask_tapestry.teg import Graph


def of(seconds):
    return Rank(0, 0.0, 0, 0, seconds)


def test_smaller_tasks_are_tried_as_long_as_something_better_may_fit():
    assert not smaller_may_gain([(of(10), None)], 0)
    assert not smaller_may_gain([(of(10), of(9.95))], 0)
    assert smaller_may_gain([(of(10), of(5))], 0)
    assert smaller_may_gain([(of(10), of(5)), (of(9), of(5))], 0)  # these were better
    assert smaller_may_gain([(of(10), of(5)), (of(10), of(4))], 0)  # more may fit
    assert not smaller_may_gain([(of(10), of(5)), (of(10), of(5))], 0)
    assert not smaller_may_gain([(of(10), of(5)), (of(12), of(6))], 0)
    assert smaller_may_gain([(of(10), of(5)), (of(12), of(6))], 2**20)  # the largest did not fit
    assert smaller_may_gain([(of(90), of(5)), (of(90), of(5))], 0)  # it takes far less


@pytest.mark.exhaustive  # equations are planned in as many panels in `test_more_memory.py`
def test_a_factor_of_many_panels_is_planned():
    machines = dt.Resources(workers=16, threads=4, memory="1.5 GiB")
    x = dt.placeholder((20_000, 20_000), "f8", stored_chunks=(1000, 1000))
    dt.plan(dt.linalg.cholesky(x).sum(), resources=machines).verify()


@pytest.mark.parametrize(("chunk", "count"), [(10, 4), (100, 3), (180, 2), (400, 1)])
def test_tasks_that_cannot_decode_a_chunk_are_not_planned(tmp_path, chunk, count):
    """Whatever else they do: MB of a chunk, which is there as stored and decoded."""
    shape = 50_000, 250_000
    zarr.create_array(tmp_path / "x", shape=shape, dtype="f4", chunks=(chunk, 250_000))
    x = dt.from_zarr(tmp_path / "x")
    machine = dt.Resources(workers=2, threads=1, memory="2 GB")
    assert len(plan_spaces(Graph([x.sum(axis=0).node]), machine, "auto")) == count


SMALL = dt.Resources(workers=2, threads=2, memory="500 MiB", temporary_store=True)


def years(megabytes):
    """A result of so many MB, made of the monthly values that are stored."""
    x = dt.placeholder((12 * megabytes, 250, 500), "f8", stored_chunks=(8, 250, 500))
    return x.reshape(megabytes, 12, 250, 500).mean(axis=1)


@pytest.mark.parametrize(
    ("results", "rounds", "fit"),
    [
        (lambda: [years(300)], 1, True),
        (lambda: [years(500)], 1, False),
        (lambda: [years(500)], MANY_ROUNDS, True),  # fetched in rounds
        (lambda: [(y := years(500)), y.std(axis=0)], MANY_ROUNDS, False),  # a step reads it
        (lambda: [(y := years(500)).mean(axis=0), y.std(axis=0)], 1, True),  # it is no result
        (lambda: [years(300), years(200) + 1], 1, False),
    ],
)
def test_results_that_workers_cannot_hold(results, rounds, fit):
    graph = Graph([y.node for y in results()])
    space, *_ = plan_spaces(graph, SMALL, "auto")
    assert may_hold_results(space.in_rounds(rounds)) is fit


def test_of_workers_that_are_not_alike_nothing_is_known():
    few = dt.Resources(groups=[(1, 2, "64 GiB"), (1, 2, "500 MiB")])
    space, *_ = plan_spaces(Graph([years(5000).node]), few, "auto")
    assert may_hold_results(space)


def test_no_plan_fits_where_results_do_not():
    """Whatever a plan of results that workers cannot hold does, `fits` says no."""
    x = dt.placeholder((60_000, 1000), "f8", stored_chunks=(1000, 1000))
    y = x.mean(axis=1, keepdims=True) * x
    for roots in ([y], [y, y.sum(axis=0)], [y, y + x], [dt.sort(x, axis=1), y]):
        for space in plan_spaces(Graph([one.node for one in roots]), SMALL, "auto"):
            assert not may_hold_results(space)
            state = space.seed()
            for choices in (state.choices, *moves(space, state)):
                assert not space.fits(space.state(choices))


@pytest.mark.parametrize(
    ("cells", "rounds"), [(1, [1]), (10**6, [1]), (10**7, [1, MANY_ROUNDS]), (10**9, [MANY_ROUNDS])]
)
def test_results_that_are_next_to_nothing_are_fetched_in_one_round(cells, rounds):
    graph = dt.placeholder((cells,), "f8").teg
    assert fetch_rounds(graph, dt.Resources(2, 2, "500 MiB")) == rounds


@pytest.mark.parametrize(
    ("memory", "reads", "crowd"),
    [
        ("500 MiB", True, True),
        ("500 MiB", False, False),
        ("4 GiB", True, False),
    ],
)
def test_results_that_steps_read_crowd_small_workers(memory, reads, crowd):
    x = dt.exp(dt.placeholder((10_000, 10_000), "f4", (1000, 1000)))
    graph = Graph([x.node, x.sum().node if reads else (dt.ones(3) + 1).node])
    found = crowding_results(graph, dt.Resources(workers=2, threads=2, memory=memory))
    assert found == ((x.node,) if crowd else ())
    assert crowding_results(graph, dt.Resources(memory=memory, local=True)) == ()


def test_a_result_and_its_sum_on_small_workers_read_little_again():
    """Held, the result left so little memory that the array was read 178 times."""
    x = dt.placeholder((20_000, 20_000), "u1", (2000, 2000))
    for _ in range(4):
        around = [dt.roll(dt.roll(x, i, 0), j, 1) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j]
        near = sum(around[1:], around[0])
        x = ((near == 3) | ((x == 1) & (near == 2))).astype("u1")
    plan = dt.plan(x, x.sum(), resources=dt.Resources(workers=2, threads=2, memory="500 MiB"))
    assert plan.cost["bytes_read"] <= 10 * x.nbytes
