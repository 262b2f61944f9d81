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


def mixture(x, rounds, first=None):
    """Rounds of expectation and maximisation of a mixture of five normal distributions."""
    means = np.linspace(-1, 1, 20).reshape(5, 4) if first is None else first
    shares = np.ones(5) / 5
    for _ in range(rounds):
        squares = ((x[:, None, :] - means[None]) ** 2).sum(axis=-1)
        logs = np.log(shares) - squares / 2
        r = np.exp(logs - logs.max(axis=1, keepdims=True))
        r = r / r.sum(axis=1, keepdims=True)
        n = r.sum(axis=0)
        means, shares = (r.T @ x) / n[:, None], n / len(x)
    return means, shares


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


@pytest.mark.few(2)  # the least, and most passes
@pytest.mark.parametrize("first", [None, 5], ids=["given", "rows"])
@pytest.mark.parametrize(("rounds", "chunk"), [(1, 1_000_000), (2, 250_000), (3, 1_000_000)])
def test_each_round_of_a_loop_reads_once(rounds, chunk, first):
    """Products in parts and sums end where chunks do, and a pass waits for the one before."""
    x = stored((20_000_000, 4), "f8", (chunk, 4))
    plan = dt.plan(*mixture(x, rounds, first and x[:first]), resources=SMALL)
    plan.verify()
    assert plan.cost["bytes_read"] < (rounds + 0.06) * x.nbytes
    names = [node.operator.name for node in plan.core.steps]
    assert names.count("jointwindows") == rounds


def test_parts_are_not_as_long_as_what_they_are_of():
    """A table that is held in one block has no parts that end where this does."""
    x, y = stored((5_000_000, 50), "f4", (250_000, 50)), stored((5_000_000,), "f4", (250_000,))
    w = dt.zeros(50, dtype="f4")
    for _ in range(10):
        w = w - 0.1 * (x.T @ (1 / (1 + np.exp(-(x @ w))) - (y > 0))) / len(y)
    plan = dt.plan(w, resources=dt.Resources(2, 2, "4 GiB"))
    plan.verify()
    assert plan.cost["bytes_read"] < 1.3 * (x.nbytes + y.nbytes)


def test_what_is_held_for_several_steps_and_does_not_fit_is_read_in_passes():
    """Workers that may take 250 MiB each cannot hold 640 MB beside what is made of these."""
    x = stored((20_000_000, 4), "f8", (250_000, 4))
    near = dt.Resources(2, 2, "500 MiB", bandwidth=2.8e9)
    plan = dt.plan(*mixture(x, 2, x[:5]), resources=near)
    plan.verify()
    assert plan.cost["bytes_read"] < 2.06 * x.nbytes


def test_values_that_wait_for_one_are_made_in_a_pass_after_it():
    """As the means and maxima of what is normed by the moments of each channel."""
    x = stored((50_000, 64, 32, 32), "f4", (200, 64, 32, 32))
    mean, var = (x.mean(axis=(0, 2, 3), keepdims=True), x.var(axis=(0, 2, 3), keepdims=True))
    y = np.maximum((x - mean) / np.sqrt(var + 1e-5), 0)
    plan = dt.plan(y.mean(axis=(2, 3)), y.reshape(len(y), -1).max(axis=1), resources=SMALL)
    plan.verify()
    assert plan.cost["bytes_read"] < 2.1 * x.nbytes


def test_rounds_of_a_loop_have_the_values_of_numpy(tmp_path):
    cells = np.random.default_rng(0).normal(size=(3_000_000, 4))
    dt.asarray(cells).to_zarr(tmp_path / "x", chunks=(150_000, 4))
    x = dt.from_zarr(tmp_path / "x")
    plan = dt.plan(*mixture(x, 2, x[:5]), resources=dt.Resources(2, 1, "150 MB"))
    assert "jointwindows" in [node.operator.name for node in plan.core.steps]
    for got, one in zip(plan.compute(scheduler="sync"), mixture(cells, 2, cells[:5]), strict=True):
        np.testing.assert_allclose(got, one, rtol=1e-9)
