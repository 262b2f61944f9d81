"""What a run took, on the plan's page and in the rates of later plans."""

from dataclasses import replace
from pathlib import Path
from time import sleep

import numpy as np
import pytest
from distributed import Client

import dask_tapestry as dt
from dask_tapestry.diagnostics import measured_run
from dask_tapestry.diagnostics.measured_run import recalibrate, scaled, times_slower
from dask_tapestry.diagnostics.step_text import duration
from dask_tapestry.planner.machine import calibrate
from dask_tapestry.planner.machine.rates import shipped_rates
from dask_tapestry.planner.machine.resources import current

CELLS = np.arange(40_000.0).reshape(200, 200)


def work(added):
    return (dt.asarray(CELLS).rechunk((50, 200)) + added).sum(axis=0)


def page_of(plan, path, **how):
    return Path(plan.visualize(str(path / "plan.html"), **how)).read_text("utf-8")


def test_the_last_run_lies_over_the_page(tmp_path):
    p = dt.plan(work(11.0))
    before = page_of(p, tmp_path)
    assert "<dt>measured</dt>" not in before
    p.compute(scheduler="threads")
    after = page_of(p, tmp_path)
    assert after.count("<dt>measured</dt>") == len(p.profile().steps)
    assert page_of(p, tmp_path, measured=False) == before
    given = page_of(p, tmp_path, measured={1: (90, 48, 2**20)})
    assert given.count("<dt>measured</dt>") == 1
    assert "1.5 min" in given


def test_a_step_has_what_it_took_itself(tmp_path):
    def slow(block):
        sleep(0.2)
        return block

    p = dt.plan(dt.map_blocks(slow, dt.ones((2, 3)).rechunk((1, 3)), dtype="f8"), work(12.0))
    p.compute(scheduler="sync")
    taken = measured_run.measured_run(p.core)
    steps = p.profile().steps
    assert len(steps) == len(p.core.steps)
    for number, one in enumerate(steps, start=1):
        assert taken[number] == (one.seconds, one.bytes, one.peak)
    (number,) = [n for n, one in enumerate(steps, start=1) if one.name.startswith("slow")]
    assert taken[number][0] >= 0.4
    assert f"measured</dt><dd>{duration(taken[number][0])}, result" in page_of(p, tmp_path)


def test_on_a_cluster_too(tmp_path):
    with Client(processes=False, n_workers=1, threads_per_worker=2, dashboard_address=":0"):
        p = dt.plan(work(13.0))
        p.compute()
        assert "<dt>measured</dt>" in page_of(p, tmp_path)


class Found:
    """A profile whose steps took so many times as long as was predicted."""

    state = "done"

    def __init__(self, plan, slower, state="done"):
        slots = plan.resources.slots
        self.state = state
        p = dt.plan(work(14.0))
        p.compute(scheduler="sync")
        some = p.profile().steps[0]
        self.steps = tuple(
            some._replace(
                tasks=slots, done=slots,
                thread_seconds=slower * slots * (step.estimate.compute + step.estimate.store),
            )
            for step in plan.steps.values()
        )  # fmt: skip


@pytest.fixture
def large():
    """A plan of more than a second, which is not run."""
    x = dt.random.default_rng(0).normal(size=(20_000, 20_000))
    return dt.plan(dt.exp(x).sum(axis=0), resources=dt.Resources(2, 2, "8 GiB")).core


@pytest.fixture
def kept(monkeypatch):
    """Rates are kept for this process alone."""
    monkeypatch.setattr(calibrate, "_file", lambda key: None)
    monkeypatch.setattr(calibrate, "_measured", {calibrate.identity(): None})
    with dt.config(rates="measured"):
        yield


def test_a_run_that_took_thrice_as_long_makes_rates_a_third(large, kept, monkeypatch):
    found = Found(large, 3.0)
    slower = times_slower(large, found)
    assert slower
    assert list(slower.values()) == [pytest.approx(3.0)] * len(slower)
    monkeypatch.setattr(measured_run, "profile_of", lambda plan: found)
    before = calibrate.rates_in_force()
    rates = recalibrate(large)
    assert calibrate.rates_in_force() is rates
    assert rates.threads == before.threads
    kernels = dict(rates.operations)
    assert all(
        n == pytest.approx(dict(before.operations)[k] / 3, rel=0.1) for k, n in kernels.items()
    )
    assert rates.network == before.network


def test_what_a_device_takes_says_nothing_of_threads():
    x = dt.placeholder((10**6, 1000), "f8", (10**4, 1000)).to_device("cuda")
    with dt.config(host_parts=False):
        plan = dt.plan(dt.sort(x, axis=1), resources=dt.Resources(2, 2, "8 GiB")).core
    assert times_slower(plan, Found(plan, 3.0)) == {}


def test_what_is_too_short_tells_nothing(large):
    assert times_slower(large, Found(large, 1e-9)) == {}


def test_what_is_absurd_is_bounded(large):
    assert max(times_slower(large, Found(large, 1e9)).values()) == 100.0


def test_only_a_run_that_is_done_recalibrates(large, kept, monkeypatch, tmp_path):
    with pytest.raises(dt.PlanError, match="no run of the plan is known"):
        dt.plan(work(15.0)).visualize(str(tmp_path / "plan.html"), recalibrate=True)
    monkeypatch.setattr(measured_run, "profile_of", lambda plan: Found(large, 3.0, "failed"))
    with pytest.raises(dt.PlanError, match="this one is failed"):
        recalibrate(large)
    with pytest.raises(dt.ArgumentTypeError, match="recalibrate must be True or False"):
        dt.plan(work(15.0)).visualize(recalibrate="yes")


def test_rates_that_the_user_names_stay(large):
    with dt.config(rates="shipped"), pytest.raises(dt.PlanError, match="rates='shipped' names"):
        recalibrate(large)


def test_later_plans_count_with_the_rates(kept, tmp_path):
    calibrate.keep_rates(replace(shipped_rates(), machine="tried"))
    p = dt.plan(work(16.0))
    p.compute(scheduler="sync")
    before = calibrate.rates_in_force()
    p.visualize(str(tmp_path / "plan.html"), recalibrate=True)
    assert calibrate.rates_in_force().machine == "tried"
    assert calibrate.rates_in_force().latency == before.latency


def test_a_cluster_keeps_its_own(kept, monkeypatch, large):
    monkeypatch.setattr(measured_run, "profile_of", lambda plan: Found(large, 4.0))
    with Client(processes=False, n_workers=1, threads_per_worker=2, dashboard_address=":0"):
        here, before = calibrate.rates_in_force(), current().rates
        rates = recalibrate(large)
        assert current().rates is rates
        assert before is not rates
        assert calibrate.rates_in_force() is here


def test_stores_and_kernels_are_scaled_apart():
    before = shipped_rates()
    after = scaled(before, {"compute": 2.0})
    assert (after.store_read, after.store_latency) == (before.store_read, before.store_latency)
    assert after.memory == before.memory / 2
    assert after.row == before.row * 2
