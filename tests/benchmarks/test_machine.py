"""Rows are timed in turns, ratios are of ours, and a library that fails says how."""

import itertools
import json
import sys

import numpy as np
import pytest

from benchmarks import machine
from benchmarks.peers import BENCHED, OURS, NumPy

ROW = {
    "name": "r",
    "memory_bound": True,
    "seconds": {"dask_tapestry": 2.0, "NumPy": 8.0, "JAX": 1.0, "copy": 1.0},
    "without": {"Cubed": "slow"},
}


class Wrong(NumPy):
    name = "wrong"

    def program(self, comparison, arrays):
        return lambda: np.zeros(3)


class Failing(NumPy):
    name = "failing"

    def program(self, comparison, arrays):
        raise NotImplementedError("no such thing\nat all")


def test_a_row_has_the_seconds_of_all_that_can_run_it():
    found = machine.measure(
        "exp_sum", BENCHED["exp_sum"], [OURS, NumPy(), Wrong(), Failing()], 1, 1e-4
    )
    assert list(found["seconds"]) == ["copy", "dask_tapestry", "NumPy"]
    assert all(seconds > 0 for seconds in found["seconds"].values())
    assert found["without"]["failing"] == "NotImplementedError: no such thing"
    assert found["without"]["wrong"].startswith("wrong: shape")
    assert found["inputs"] == 32_000
    assert found["moved"] == 32_008


def test_a_program_of_two_passes_moves_its_inputs_twice():
    _, about = machine.contenders(BENCHED["anomaly"], [], 1e-4)
    assert about["moved"] == 3 * about["inputs"]


@pytest.mark.parametrize("moved", [8, 16_000_016])
def test_a_plain_copy_writes_every_byte(moved):
    copied = machine.plain_copy(moved)()
    assert copied.nbytes == max(8, moved // 2)
    assert (copied == 1).all()


def test_short_calls_are_timed_several_at_once():
    calls = []
    microseconds = itertools.count()

    def clock() -> float:
        return next(microseconds) / 1e6

    best = machine.best_times({"a": lambda: calls.append(1)}, 2, clock)
    assert len(calls) == 1 + 2 * 1000
    assert best["a"] == pytest.approx(1e-9)


def test_ratios_are_of_ours():
    assert machine.ratios(ROW) == {"NumPy": 4.0, "JAX": 0.5, "copy": 2.0}
    assert machine.ratios({**ROW, "seconds": {"NumPy": 1.0, "copy": 1.0}}) == {}


def test_means_are_geometric_and_the_copy_counts_where_memory_bounds():
    other = {**ROW, "memory_bound": False, "seconds": {**ROW["seconds"], "NumPy": 32.0}}
    assert machine.means([ROW, other]) == pytest.approx({"NumPy": 8.0, "JAX": 0.5, "copy": 2.0})


def test_what_is_missing_is_listed_by_reason():
    assert machine.without([ROW, {**ROW, "name": "s"}]) == {("Cubed", "slow"): ["r", "s"]}


def test_the_command_writes_json(tmp_path, monkeypatch, capsys):
    file = tmp_path / "machine.json"
    command = "machine.py --only exp_sum --peers numpy --fast --repeats 1 --scale 1e-4 --json"
    monkeypatch.setattr(sys, "argv", [*command.split(), str(file)])
    machine.main()
    made = json.loads(file.read_text())
    assert made["peers"] == ["dask_tapestry", "NumPy"]
    assert made["rows"][0]["name"] == "exp_sum"
    assert made["command"].endswith("--json machine.json")
    assert made["hardware"]["cores"] >= 1
    assert "exp_sum every other" in capsys.readouterr().out
