"""Every case is lowered and written out; what a figure tells is what was written."""

import json

import pytest

from benchmarks.planner import lowering
from benchmarks.planner.lowering import CASES, hundred_thousand, measure, sizes

BLOCKS = 36


@pytest.mark.parametrize("name", CASES)
def test_a_case_is_written_out(name):
    found = measure(CASES[name](BLOCKS))
    assert found.tasks > 1
    assert min(found.us_a_task, found.us_a_last_task) > 0


def test_a_graphs_size_does_not_grow_with_its_blocks():
    found = list(sizes().values())
    assert max(found) < 1.01 * min(found)
    assert max(found) < 100_000


def test_as_many_tasks_are_written_out_as_asked(monkeypatch):
    monkeypatch.setattr(lowering, "HUNDRED_THOUSAND", 300)
    assert hundred_thousand(1)["tasks"] >= 300


def test_the_script_prints_json(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["lowering.py", "--only", "reduction", "--blocks", "36"])
    lowering.main()
    assert "reduction" in json.loads(capsys.readouterr().out)
