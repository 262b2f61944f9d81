import dask
import numpy as np
import pytest
from dask.callbacks import Callback

import dask_tapestry as dt
from dask_tapestry.errors import ComputeError
from dask_tapestry.lower import synchronous
from dask_tapestry.lower.synchronous import MOST_BYTES, compute_synchronously
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


def test_options_for_threads_are_left_to_a_scheduler():
    with dask.config.set(num_workers=1):
        assert compute_synchronously([small().node]) is None


@pytest.mark.parametrize(
    "large",
    [
        lambda: dt.ones(MOST_BYTES // 8 + 1) + 1,
        lambda: dt.ones((8, 9)).rechunk((1, 1)) + 1,
        lambda: small().persist() + 1,
    ],
)
def test_what_is_left_to_a_scheduler(large):
    assert compute_synchronously([large().node]) is None


def test_blocks_that_are_transposes_of_others_are_left_to_a_scheduler(monkeypatch):
    monkeypatch.setattr(synchronous, "is_symmetric", lambda program, cuts: True)
    assert compute_synchronously([small().node]) is None


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
