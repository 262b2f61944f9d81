"""Sources that several steps read are read once, in blocks that workers can hold."""

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.planner.search import one_space as searching
from tests.planner.graphs import stored

SMALL = dt.Resources(2, 2, "500 MiB")


def rows():
    return stored((1_000_000, 1000), "f8", (1000, 1000))


def power_beside_mean():
    x = stored((390_000, 40, 64), "f8", (400, 40, 64))
    return x, (abs(dt.fft.rfft(x, axis=2)) ** 2).mean(axis=0), x.mean(axis=(0, 2))


def differences_beside_mean():
    x = rows()
    return x, abs(dt.diff(x, axis=0)).max(axis=1), x.mean(axis=0)


def ends_of(block):
    return np.stack([block.min(axis=2), block.max(axis=2)], axis=-1)


def blocks_beside_a_fold():
    x = stored((1_666_400, 30, 40), "f4", (1600, 30, 40))
    sums = dt.map_blocks(lambda b: b.sum(axis=(1, 2)), x, dtype="f4", drop_axis=[1, 2])
    chunks = (x.chunks[0], x.chunks[1], (2,))
    ends = dt.map_blocks(ends_of, x, dtype="f4", drop_axis=2, new_axis=2, chunks=chunks)
    return x, sums, ends.mean(axis=0)


def planned(monkeypatch, roots, looks, resources=SMALL):
    """The plan, made with or without looking for one whose reads are handed on."""
    with monkeypatch.context() as patched:
        if not looks:
            patched.setattr(searching, "with_reads_handed_on", lambda _space, state, _costs: state)
        return dt.plan(*roots, resources=resources)


@pytest.mark.few(2)  # one question each
@pytest.mark.parametrize("job", [power_beside_mean, differences_beside_mean, blocks_beside_a_fold])
def test_unlike_results_of_one_source_read_it_once(monkeypatch, job):
    x, *roots = job()
    now, before = (planned(monkeypatch, roots, looks).cost for looks in (True, False))
    assert now["bytes_read"] < 1.13 * x.nbytes
    assert now["seconds"] <= before["seconds"]
    if job is not differences_beside_mean:  # other changes find that, too
        assert now["seconds"] < before["seconds"]
        assert before["bytes_read"] > 1.9 * x.nbytes


def test_the_plan_fits_and_is_verified(monkeypatch):
    _, *roots = differences_beside_mean()
    plan = planned(monkeypatch, roots, looks=True)
    plan.verify()
    assert plan.cost["peak_worker_bytes"] < 0.7 * 500 * 2**20


def test_what_one_step_alone_reads_is_not_looked_at(monkeypatch):
    roots = [rows().mean(axis=0)]
    now, before = (planned(monkeypatch, roots, looks) for looks in (True, False))
    assert now.cost == before.cost
