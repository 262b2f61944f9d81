import dask
import dask.array as da
import numpy as np
import pytest
from dask.callbacks import Callback

import dask_tapestry as dt
from dask_tapestry.errors import ComputeError
from dask_tapestry.lower import planned_expression, prepared_plan, small_jobs
from dask_tapestry.lower.small_jobs import compute_synchronously
from dask_tapestry.lower.tuning import MOST_BRIEF_BLOCKS, MOST_BRIEF_BYTES
from dask_tapestry.planner.cache import plan_of
from tests.comparisons import same_bits


def small():
    return dt.asarray(np.linspace(0, 1, 100).reshape(4, 25))


def test_it_computes_what_a_scheduler_does():
    x = small()
    arrays = [x + 1, (x - x.mean(axis=0)) / x.std(), x[:, ::-1].T, x.sum(), x]
    values = compute_synchronously([a.node for a in arrays])
    for value, array in zip(values, arrays, strict=True):
        assert same_bits(value, array.compute(scheduler=dask.get))
    assert isinstance(values[3], np.float64)


def test_the_result_is_the_users_own():
    cells = np.arange(5.0)
    x = dt.asarray(cells)
    first, again = dt.compute(x, x)
    first[:] = 0
    assert again.tolist() == cells.tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    "several",
    [
        lambda: small().rechunk((2, 5)) + 1,
        lambda: small().rechunk((2, 5)).T.rechunk((7, 3)) * 2,
        lambda: (dt.ones((3000, 1)) * dt.ones(3000)).sum(axis=0).rechunk(700),
        lambda: dt.asarray(np.arange(60_000.0)).reshape(300, 200).sum(axis=0).rechunk(30),
        lambda: dt.moveaxis(dt.asarray(np.arange(6000.0).reshape(20, 30, 10)), 0, -1).mean(axis=0),
    ],
)
def test_several_blocks_are_computed_side_by_side(several):
    x = several()
    (value,) = compute_synchronously([x.node])
    assert same_bits(value, x.compute(scheduler=dask.get))


BLOCKS = {
    "whole": lambda x: x,
    "blocks": lambda x: x.rechunk((2, 5)),
    "uneven": lambda x: x.rechunk(((1, 3), (7, 7, 11))),
}
FURTHER = {
    "cells": lambda x: x * 2 + 1,
    "slices": lambda x: x[1:, ::-3] + x[:-1, ::-3],
    "sum": lambda x: x.sum(axis=0),
    "mean": lambda x: (x - x.mean()) / x.std(axis=1, keepdims=True),
    "rolled": lambda x: dt.roll(x, 3, axis=1) - x,
    "product": lambda x: x @ x.T,
    "turned": lambda x: x.T.reshape(10, 10),
    "cut": lambda x: x.rechunk((3, 4)),
    "joined": lambda x: dt.concatenate([x, small()]),
}


@pytest.mark.parametrize("blocks", BLOCKS.values(), ids=BLOCKS)
@pytest.mark.parametrize("further", FURTHER.values(), ids=FURTHER)
def test_kept_blocks_are_computed_with_as_a_scheduler_does(blocks, further, monkeypatch):
    cells = further(blocks(small())).compute(scheduler=dask.get)
    monkeypatch.setattr(planned_expression, "lower_plan", None)
    x = further(blocks(small()).persist())
    kept = x.persist()
    assert kept.chunks == x.chunks
    assert same_bits(x.compute(), cells)
    assert same_bits((kept.T + 0).compute(), cells.T + 0)
    monkeypatch.undo()
    for one in (x, kept):
        assert same_bits(one.compute(scheduler=dask.get), cells)


def test_what_is_kept_can_be_asked_for_again():
    x = small().rechunk((2, 5)).persist()
    for same in (x, x.T.T, x.persist(), x.T.T.persist()):
        assert same_bits(same.compute(), small().compute())


def test_one_block_that_is_kept_is_copied(monkeypatch):
    x, number = (dt.arange(6) + 1).persist(), dt.arange(6).sum().persist()
    monkeypatch.setattr(small_jobs, "verified_plan_of", None)
    value = x.compute()
    value[:] = 0
    assert x.compute().tolist() == [1, 2, 3, 4, 5, 6]
    assert type(number.compute()) is np.int64
    assert number.compute() == 15


PARTS = {
    "all": lambda x: x,
    "cell": lambda x: x[2, 3],
    "row": lambda x: x[1],
    "column": lambda x: x[:, -1],
    "backwards": lambda x: x[::-1, 1::2],
    "turned": lambda x: x.T,
    "new axis": lambda x: x[:, None, 2:],
    "part of a part": lambda x: x[1:].T[3:][::-1],
}
HELD = {
    "array": dt.asarray,
    "columns": lambda cells: dt.asarray(np.asfortranarray(cells)),
    "kept": lambda cells: (dt.asarray(cells) + 0).persist(),
}


@pytest.mark.parametrize("held", HELD.values(), ids=HELD)
@pytest.mark.parametrize("part", PARTS.values(), ids=PARTS)
def test_parts_of_what_lies_here_are_copied_as_they_are_computed(part, held, monkeypatch):
    cells = np.linspace(0, 1, 100).reshape(4, 25)
    x = part(held(cells))
    planned = x.compute(scheduler=dask.get)
    with monkeypatch.context() as patch:
        patch.setattr(small_jobs, "verified_plan_of", None)
        copied, again = compute_synchronously([x.node, x.node])
    assert type(copied) is type(planned)
    assert same_bits(copied, planned)
    assert copied.flags.c_contiguous == planned.flags.c_contiguous
    if copied.ndim:
        copied[...] = 2
    assert same_bits(again, planned)
    assert same_bits(x.compute(), part(cells))


def test_parts_of_a_value_that_is_kept_are_copied(monkeypatch):
    cells = np.arange(6.0)
    x = dt.asarray(cells) * 2 + 1
    assert [float(x[n]) for n in range(2)] == [1, 3]
    with monkeypatch.context() as patch:
        patch.setattr(small_jobs, "verified_plan_of", None)
        assert [float(x[n]) for n in range(6)] == [1, 3, 5, 7, 9, 11]
        assert x[::-2].compute().tolist() == [11, 7, 3]
    cells[0] = 4  # what is kept is not what it would be now
    assert float(x[0]) == 9


def test_what_is_copied_is_what_the_array_holds_now():
    cells = np.arange(6.0)
    x = dt.asarray(cells)[2:4]
    assert x.compute().tolist() == [2, 3]
    cells[2] = 7
    assert x.compute().tolist() == [7, 3]


def test_what_one_plan_keeps_of_several_arrays_is_told_apart():
    x, y = ((dt.asarray(np.arange(5.0) + n) * 2).persist() for n in range(2))
    with dask.config.set(num_workers=1):
        assert (x - y).compute().tolist() == [-2] * 5
        first, second = dask.compute(x, y)
    assert (first - second).tolist() == [-2] * 5


def test_several_are_kept_together():
    x, y = dt.persist(small() + 1, small().sum(axis=1))
    assert same_bits(x.compute(), small().compute() + 1)
    assert same_bits(y.compute(), small().sum(axis=1).compute(scheduler=dask.get))


def test_many_brief_steps_are_no_matter_for_a_scheduler(monkeypatch):
    x = small().persist()
    several = [(x * n).rechunk((2, 25)).sum(axis=k) for n in range(1, 6) for k in (0, 1)]
    plan = dt.plan(*several)
    assert len(plan.core.steps) > small_jobs.MOST_BRIEF_STEPS
    values = compute_synchronously([one.node for one in several])
    for value, one in zip(values, several, strict=True):
        assert same_bits(value, one.compute(scheduler=dask.get))
    monkeypatch.setattr(small_jobs, "BRIEF_SECONDS", 0)
    assert compute_synchronously([one.node for one in several]) is None


def test_steps_that_follow_each_other_are_no_matter_for_a_scheduler(monkeypatch):
    x = dt.asarray(np.random.default_rng(0).random(500))
    chain = [x]
    for number in range(80):
        chain.append(dt.sort(chain[-1] * 1.5 - x * number))
    results = [y.node for y in chain[1:]]
    ready = prepared_plan.prepared(plan_of(results))
    assert len(ready.steps) > MOST_BRIEF_BLOCKS
    assert ready.seconds_saved < 0.1 * sum(one.step.estimate.compute for one in ready.steps)
    assert ready.between <= 3 * x.nbytes
    monkeypatch.setattr(small_jobs, "BRIEF_SECONDS", ready.seconds_saved)
    *_, value = compute_synchronously(results)
    assert same_bits(value, chain[-1].compute(scheduler=dask.get))


def test_steps_that_may_run_side_by_side_are_left_to_a_scheduler(monkeypatch):
    x = dt.asarray(np.random.default_rng(0).random(500))
    several = [dt.sort(x * number) for number in range(1, 12)]
    ready = prepared_plan.prepared(plan_of([one.node for one in several]))
    together = sum(one.step.estimate.compute for one in ready.steps)
    assert 0.5 * together < ready.seconds_saved < together
    monkeypatch.setattr(small_jobs, "BRIEF_SECONDS", 0.5 * ready.seconds_saved)
    assert compute_synchronously([one.node for one in several]) is None


def test_options_for_threads_are_left_to_a_scheduler():
    with dask.config.set(num_workers=1):
        assert compute_synchronously([small().node]) is None


@pytest.mark.parametrize(
    "large",
    [
        lambda: dt.ones(MOST_BRIEF_BYTES // 8 + 1) + 1,
        lambda: dt.ones((8, 9)).rechunk((1, 1)) + 1,
        lambda: dt.from_dask_array(da.ones((4, 25))) + 1,
        lambda: dt.ones((8, 9)).rechunk((1, 1)).persist() + 1,
    ],
)
def test_what_is_left_to_a_scheduler(large):
    assert compute_synchronously([large().node]) is None


def _columns_of_rows():
    return dt.sort(dt.ones((64, 9), chunks=(8, 9)).rechunk((64, 1)), axis=0).sum()


def test_what_steps_hand_on_is_little_or_dropped_block_by_block(monkeypatch):
    assert compute_synchronously([_columns_of_rows().node]) == [64 * 9]
    monkeypatch.setattr(small_jobs, "MOST_HELD_BYTES", 64 * 9)
    assert compute_synchronously([_columns_of_rows().node]) is None
    assert _columns_of_rows().compute() == 64 * 9
    assert compute_synchronously([small().node])  # its value is the result


def test_blocks_that_are_transposes_of_others_are_left_to_a_scheduler(monkeypatch):
    monkeypatch.setattr(prepared_plan, "is_symmetric", lambda program, cuts: True)
    assert compute_synchronously([(small() * 11.5).node]) is None  # of which no plan is kept yet


def test_a_scheduler_that_was_asked_for_is_used():
    used = []

    def scheduler(graph, keys, **options):
        used.append(keys)
        return dask.get(graph, keys, **options)

    assert small().sum().compute(scheduler=scheduler) == 50
    with dask.config.set(scheduler=scheduler):
        dt.compute(small().sum(), small() + 1)
    assert len(used) == 2


def test_who_watches_sees_the_tasks():
    class Watch(Callback):
        seen = 0

        def _pretask(self, key, graph, state):
            Watch.seen += 1

    with Watch():
        (small() + 1).compute()
    assert Watch.seen


def test_a_block_that_fails_says_so():
    def fail(block):
        raise ValueError("no")

    broken = dt.map_blocks(fail, small(), dtype="f8")
    with pytest.raises(ComputeError, match="no"):
        broken.compute()
