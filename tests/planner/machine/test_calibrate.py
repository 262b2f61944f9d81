import json

import dask.config
import pytest

import dask_tapestry as dt
from dask_tapestry.planner.cache import plan_of
from dask_tapestry.planner.machine import calibrate as module
from dask_tapestry.planner.machine.calibrate import (
    keep_rates,
    measured_rates,
    processor,
    rates_in_force,
)
from dask_tapestry.planner.machine.machine import Machine
from dask_tapestry.planner.machine.rates import rates_of, shipped_rates
from tests.planner.graphs import FOUR


def test_shipped_rates_are_in_force_unless_said():
    with dt.config(rates="shipped"):
        assert rates_in_force() is shipped_rates()


def test_a_setting_gives_rates(tmp_path):
    file = tmp_path / "mine.json"
    file.write_text(json.dumps({"latency": 3.0}))
    for given in (file, str(file), {"latency": 3.0}, rates_of({"latency": 3.0})):
        with dt.config(rates=given):
            assert Machine.of(FOUR).latency == 3


def test_a_file_that_is_missing_is_an_error():
    missing = pytest.raises(dt.StoreNotFoundError, match=r"rates is not a file .* 'nowhere.json'")
    with missing, dt.config(rates="nowhere.json"):
        pass
    with missing, dask.config.set({"tapestry.rates": "nowhere.json"}):
        rates_in_force()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Another directory of what is kept, and nothing known of it."""
    monkeypatch.setenv("DASK_TAPESTRY_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(module, "_measured", {})
    return tmp_path / "cache"


def test_measured_rates_are_in_force_until_others_are(folder, monkeypatch):
    with dt.config(rates="measured"):
        assert rates_in_force() is shipped_rates()
        mine = rates_of({"latency": 7.0})
        file = keep_rates(mine)
        assert rates_in_force() is mine
        assert file.parent == folder
        assert not file.stat().st_mode & 0o077
        monkeypatch.setattr(module, "_measured", {})  # as in another process
        assert rates_in_force() == mine


@pytest.mark.parametrize("text", ["", "[1]", '{"speed": 1}', '{"latency": -1}'])
def test_what_is_no_file_of_rates_counts_as_none(folder, monkeypatch, text):
    keep_rates(rates_of({"latency": 7.0})).write_text(text)
    monkeypatch.setattr(module, "_measured", {})
    assert measured_rates() is None


def test_rates_are_in_force_where_nothing_can_be_kept(folder, monkeypatch):
    monkeypatch.setattr(module, "directory", lambda: None)
    mine = rates_of({"latency": 7.0})
    assert measured_rates() is None
    assert keep_rates(mine) is None
    assert measured_rates() is mine


def test_another_machine_has_rates_of_its_own(folder, monkeypatch):
    keep_rates(rates_of({"latency": 7.0}))
    monkeypatch.setattr(module, "identity", lambda: "another")
    assert measured_rates() is None


def test_a_processor_has_a_name(monkeypatch, tmp_path):
    assert processor()
    monkeypatch.setattr(module, "CPUS", tmp_path / "nowhere")
    assert processor()


def test_no_process_is_started_for_a_name_that_a_file_has(monkeypatch, tmp_path):
    """Python asks a program for it, in every process that plans."""
    file = tmp_path / "cpuinfo"
    file.write_text("vendor_id : other\nmodel name : EPYC 1\n")
    monkeypatch.setattr(module, "CPUS", file)
    monkeypatch.setattr(module.platform, "processor", lambda: pytest.fail("a program was asked"))
    assert processor() == "EPYC 1"


def test_a_plan_found_again_was_made_with_the_rates_in_force():
    x = dt.ones((2000, 2000)) + 1
    known = []
    for latency in (1.0, 2.0, 1.0):
        with dt.config(rates=rates_of({"latency": latency})):
            known.append(plan_of([x.node]))
    assert known[0].steps is known[2].steps
    assert known[0].steps is not known[1].steps
