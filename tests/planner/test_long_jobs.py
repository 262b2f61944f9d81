import logging
from dataclasses import replace

import pytest

import dask_tapestry as dt
from dask_tapestry.planner import long_jobs as module
from dask_tapestry.planner.long_jobs import measures, plan_to_run
from dask_tapestry.planner.machine import calibrate as kept
from dask_tapestry.planner.machine.calibrate import keep_rates
from dask_tapestry.planner.machine.rates import rates_of, shipped_rates
from dask_tapestry.planner.machine.resources import this_machine

SHORT = dt.ones((1000, 1000)) + 1
LONG = dt.sin(dt.ones((10**6, 10**6), dtype="f4")).sum()


@pytest.fixture
def runs(tmp_path, monkeypatch):
    """How often this machine was measured; it is not known, and others are slower."""
    monkeypatch.setenv("DASK_TAPESTRY_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(kept, "_measured", {})
    monkeypatch.setattr(module, "_ways", [])
    done = []

    def measure():
        done.append(keep_rates(rates_of({"latency": 9.0})))

    measures(measure)
    with dt.config(rates="measured", resources=replace(this_machine(), threads=2)):
        yield done


def test_a_long_job_is_worth_measuring_once(runs):
    first, second = plan_to_run([LONG.node]), plan_to_run([LONG.node])
    assert len(runs) == 1
    assert first.steps is not None
    assert [s.cuts for s in first.steps.values()] == [s.cuts for s in second.steps.values()]


def test_a_short_one_is_not(runs):
    plan_to_run([SHORT.node])
    assert not runs


def test_nor_where_rates_are_chosen_or_the_machine_is_another(runs):
    with dt.config(rates=shipped_rates()):
        plan_to_run([LONG.node])
    with dt.config(resources=dt.Resources(workers=2, threads=2)):
        plan_to_run([LONG.node])
    assert not runs


def test_a_machine_that_was_measured_is_known(runs):
    keep_rates(shipped_rates())
    plan_to_run([LONG.node])
    assert not runs


def test_a_job_runs_though_nothing_can_be_measured(runs, caplog):
    def fail():
        raise OSError("no space left")

    measures(fail)
    with caplog.at_level(logging.WARNING):
        assert plan_to_run([LONG.node]).steps
        assert plan_to_run([LONG.node]).steps
    first, *others = [r.getMessage() for r in caplog.records]
    assert "takes about 3 s" in first  # which nobody waits for without a line
    assert others == ["this machine cannot be measured: OSError('no space left')"]


def test_one_thread_measures(runs):
    with module._measuring:
        assert plan_to_run([LONG.node]).steps
    assert not runs


def test_of_a_plan_for_years_the_user_is_told():
    x = dt.ones((10**9, 10**9), dtype="f4").sum()
    with dt.config(resources=replace(this_machine(), threads=2)):
        with pytest.warns(RuntimeWarning, match=r"(years|days) on this machine.*explain") as told:
            plan_to_run([dt.sin(x + dt.ones((10**9, 10**9))).sum().node])
        assert told[0].filename == __file__
        plan_to_run([dt.ones((10**5, 10**5)).sum().node])
