"""Peaks of this process and of workers are measured; the report counts what keeps to the bounds."""

import json

import numpy as np
import pytest

import dask_tapestry as dt
from benchmarks.planner import memory, process_memory
from tests.lower.peaks import needs_counters

SIZE = 2**25
ROWS = [
    {"number": 0, "text": "a", "measured": 90 * 2**20, "predicted": 100 * 2**20},
    {"number": 1, "text": "b", "measured": 130 * 2**20, "predicted": 100 * 2**20},
    {"number": 2, "text": "c", "measured": 40 * 2**20, "predicted": 100 * 2**20},
    {"number": 3, "text": "d", "measured": 1, "predicted": 2},
    {"number": 4, "text": "e", "error": "MemoryLimitError"},
]


@needs_counters
@pytest.mark.parametrize("place", memory.PLACES)
def test_what_a_program_holds_is_measured(place):
    with memory.PLACES[place]() as peak_of, dt.config(rates="shipped"):
        peak_of(dt.ones(8) * 2)
        held = peak_of(dt.random.default_rng(0).random(SIZE // 8))
    assert 0.4 * SIZE < held < 3 * SIZE


@needs_counters
def test_counters_begin_anew():
    process_memory.return_memory()
    before = process_memory.begin()
    cells = np.ones(SIZE, "u1")
    assert process_memory.most() - before > 0.9 * cells.nbytes
    del cells
    assert process_memory.begin() < before + SIZE / 2


def test_what_is_outside_the_bounds_is_counted(capsys):
    memory.report(ROWS)
    assert "within (0.6, 1.1): 1, above: 1, below: 1" in capsys.readouterr().out


@needs_counters
def test_rows_are_measured_in_a_process_of_their_own(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(memory, "rows_of", lambda numbers, place: ROWS[: len(numbers)])
    file = tmp_path / "memory.json"
    monkeypatch.setattr("sys.argv", ["memory.py", "--programs", "5", "--json", str(file)])
    memory.main()
    assert len(json.loads(file.read_text())) == 5
    assert "1.30 136 of 105 MB: b" in capsys.readouterr().out
