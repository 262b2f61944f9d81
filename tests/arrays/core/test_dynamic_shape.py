import gc

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.core import dynamic_shape
from dask_tapestry.arrays.core.dynamic_shape import CountRun


@pytest.fixture
def masked():
    x = dt.from_array(np.arange(8))  # another one each time: nothing is known of it
    return x[x > 3].deferred


def test_it_runs_its_count_graph_once(masked):
    runs = []

    def run(counts, keep):
        runs.append(counts)
        return CountRun(dt.Array(counts).compute(), tuple(keep))

    first = masked.resolve(run)
    assert first is masked.resolve(run)
    assert first is masked.remembered_node()
    assert len(runs) == 1
    assert first.type.shape == (4,)


def refusing(most):
    """A run that holds at most so many bytes of what it is to keep."""

    def run(counts, keep):
        if sum(node.type.nbytes for node in keep) > most:
            raise dt.MemoryLimitError("too much is kept")
        return CountRun(dt.Array(counts).compute(), tuple(keep))

    return run


@pytest.mark.parametrize(
    "counted",
    [
        lambda x: dt.bincount(x, weights=x),
        lambda x: dt.histogram(x, bins="sturges")[0],
        lambda x: x[x > 5],
        lambda x: dt.flatnonzero(x > x.mean()),
        lambda x: dt.nonzero(x.reshape(3, 4) % 2)[1],
    ],
)
def test_what_cannot_be_kept_is_computed_again(counted):
    x = dt.from_array(np.arange(12)) * 7 % 5 + 3
    expected = counted(x).compute()
    found = counted(dt.from_array(np.arange(12)) * 7 % 5 + 3)
    node = found.deferred.resolve(refusing(0))
    assert found.deferred.remembered_node() is node
    np.testing.assert_array_equal(dt.Array(node).compute(), expected)


def test_what_could_not_be_kept_for_one_array_is_not_counted_for_another():
    runs, refuses = [], refusing(0)

    def run(counts, keep):
        made = refuses(counts, keep)
        runs.append(counts)
        return made

    cells = np.array([3.0, np.nan, 1, 3, -0.0, 1, np.nan])
    values, inverse, counts = dt.unique(
        dt.from_array(cells), return_inverse=True, return_counts=True
    )
    nodes = [one.deferred.resolve(run) for one in (values, inverse, counts)]
    assert len(runs) == 1
    expected = np.unique(cells, return_inverse=True, return_counts=True)
    for node, wanted in zip(nodes, expected, strict=True):
        np.testing.assert_array_equal(dt.Array(node).compute(), wanted)


def test_what_may_differ_the_next_time_is_kept_or_refused():
    x = dt.from_array(np.arange(8)).map_blocks(np.negative, dtype=int)
    with pytest.raises(dt.MemoryLimitError, match="too much is kept"):
        x[x > -3].deferred.resolve(refusing(0))


def test_what_follows_an_effect_is_kept_or_refused():
    effect = dt.store(dt.ones(4), Target(), compute=False)
    x = same(dt.arange(8.0), after=[effect]).astype(int)
    with pytest.raises(dt.MemoryLimitError, match="too much is kept"):
        dt.bincount(x, weights=x).deferred.resolve(refusing(0))


def test_no_workers_are_an_error_and_no_hang(masked, monkeypatch):
    class Client:
        asynchronous = False

        def scheduler_info(self, n_workers):
            return {"workers": {}}

    monkeypatch.setattr(dynamic_shape, "live_client", Client)
    with pytest.raises(dt.PlanError, match="no workers"):
        masked.resolve(None)


def test_an_asynchronous_client_is_told_to_await(masked, monkeypatch):
    class Client:
        asynchronous = True

    monkeypatch.setattr(dynamic_shape, "live_client", Client)
    with pytest.raises(dt.PlanError, match="await dt"):
        masked.resolve(None)


class Target:
    """An array that counts what is written into it."""

    shape, dtype = (4,), np.dtype(float)

    def __init__(self):
        self.written = 0

    def __setitem__(self, key, value):
        self.written += 1


@dt.block_operator(index={"i": "parallel"}, inputs={"x": "i"}, outputs={"z": "i"})
def same(x):
    """Its input."""
    return x


COUNTED = {
    "cells": lambda y: y[y > 3],
    "no cells": lambda y: y[y > 100],
    "of another array": lambda y: dt.arange(8)[y > 3],
    "what is made of it": lambda y: (y + 1)[y > 3] * 2,
    "columns": lambda y: y.reshape(2, 4)[:, y[:4] > 1],
    "compress": lambda y: dt.compress(y > 3, y),
    "extract": lambda y: dt.extract(y > 3, y + 1),
    "places": lambda y: dt.nonzero(y)[0],
    "sets": lambda y: dt.setdiff1d(y, [1.0, 2.0], assume_unique=True),
    "where each is first": lambda y: dt.unique(y, return_index=True)[1],
    "which of them each is": lambda y: dt.unique(y, return_index=True, return_inverse=True)[2],
    "a table": lambda y: dt.bincount(y.astype(int), weights=y),
}


@pytest.mark.parametrize("read", COUNTED)
@pytest.mark.parametrize("scheduler", ["sync", "threads"])
def test_a_write_is_done_once_by_what_counts_and_the_value(read, scheduler):
    target = Target()
    x = dt.arange(8.0)
    y = same(x, after=[dt.store(dt.ones(4), target, compute=False)])
    found = COUNTED[read](y)
    value = found.compute(scheduler=scheduler)
    assert target.written == 1
    np.testing.assert_array_equal(value, COUNTED[read](x).compute())


def test_a_write_that_the_mask_does_not_follow_is_left_to_the_value():
    first, second = Target(), Target()
    y = same(dt.arange(8.0), after=[dt.store(dt.ones(4), first, compute=False)])
    other = same(dt.arange(8.0), after=[dt.store(dt.ones(4), second, compute=False)])
    found = other[y > 3]
    assert found.shape == (4,)
    assert (first.written, second.written) == (1, 0)
    found.compute()
    assert (first.written, second.written) == (1, 1)


def test_nothing_else_is_kept(masked):
    assert len(masked.keep) == 1


@pytest.mark.few(7)  # as unlike as so many can be
@pytest.mark.parametrize(
    "counted",
    [
        dt.unique,
        lambda x: dt.unique(x, return_counts=True)[1],
        lambda x: dt.unique(x.reshape(3, 4), axis=0),
        lambda x: dt.setdiff1d(x, [3], assume_unique=True),
        lambda x: dt.union1d(x, [3]),
        lambda x: x[x > 3],
        lambda x: dt.nonzero(x - 3)[0],
        dt.flatnonzero,
        dt.argwhere,
        lambda x: dt.extract(x > 3, x),
        dt.bincount,
        lambda x: dt.repeat(x, x % 3),
        lambda x: dt.histogram(x, bins="auto")[0],
    ],
)
def test_what_was_kept_goes_with_what_reads_it(counted):
    """The array that was read lives on, as that of a store does through a session."""
    x = dt.from_array(np.arange(12)) * 7 % 5
    before = set(dynamic_shape._runs)
    found = counted(x)
    assert found.shape
    assert _kept_since(before)
    del found
    gc.collect()
    assert not _kept_since(before)


def _kept_since(before):
    """What count runs keep whose owners were not there before."""
    new = [runs for owner, runs in dynamic_shape._runs.items() if owner not in before]
    return [node for runs in new for run in runs.values() for node in run.kept]


def picking(counts, mask, *picks):
    """A deferred node that is the sum of what was kept of its picks, else the mask."""

    def build(_, kept):
        found = [one for one in map(dynamic_shape.kept_of, picks) if one is not None]
        return (sum(map(dt.Array, found), dt.zeros(8))).node if found else mask

    return dynamic_shape.Deferred(counts, (mask,), build, mask, mask, None, picks)


def test_what_others_pick_is_kept_by_one_run():
    x = dt.from_array(np.arange(8.0))
    mask, one, two = (x > 3).node, (x + 1).node, (x + 2).node
    counts = dt.count_nonzero(dt.Array(mask)).node
    first, second = picking(counts, mask, one), picking(counts, mask, two)
    other = picking((x.sum()).node, mask, (x + 3).node)
    runs = []

    def run(counts, keep):
        runs.append(keep)
        return CountRun(dt.Array(counts).compute(), tuple(keep))

    first.joined_with([first, second, other]).resolve(run)
    assert runs == [(mask, one, two)]
    found = dt.Array(second.resolve(run)).compute()
    assert found.tolist() == (np.arange(8.0) + 2).tolist()
    assert len(runs) == 1


def test_of_too_little_memory_nothing_is_picked(monkeypatch):
    x = dt.from_array(np.arange(8.0))
    deferred = picking(x.sum().node, (x > 3).node, (x + 1).node)
    workers = {n: {"memory_limit": 150} for n in range(2)}
    deferred.check_machines({"workers": workers})
    assert deferred.picks
    deferred.check_machines({"workers": {0: workers[0]}})
    assert not deferred.picks
    deferred = picking(x.sum().node, (x > 3).node, (x + 1).node)
    deferred.check_machines(None)
    assert deferred.picks
    monkeypatch.setattr(dynamic_shape, "free_memory", lambda: 100)
    deferred.check_machines(None)
    assert not deferred.picks


def test_what_a_run_did_not_pick_is_not_taken_of_another():
    x = dt.from_array(np.arange(8.0))
    mask, one = (x > 3).node, (x + 1).node
    deferred = picking(x.sum().node, mask, one)
    deferred.remember(CountRun(np.array(0), (mask, one)))
    assert dynamic_shape.kept_of(one) is one
    deferred.remember(CountRun(np.array(0), (mask,)))
    assert dynamic_shape.kept_of(one) is None
