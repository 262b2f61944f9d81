"""What workers log is summed; predictions are judged; programs build and run."""

import json

import numpy as np
import pytest

import dask_tapestry as dt
from benchmarks.planner import transfers

ROW = {"predicted": 100e6, "measured": 100e6, "runs": [100e6], "text": ""}


@pytest.mark.parametrize(
    ("predicted", "measured", "near"),
    [(100e6, 95e6, True), (100e6, 80e6, False), (5e5, 0, True), (5e6, 0, False)],
)
def test_a_prediction_is_near_within_a_tenth_or_next_to_nothing(predicted, measured, near):
    assert transfers.is_near(ROW | {"predicted": predicted, "measured": measured}) is near


def test_a_worker_tells_what_came_since_it_was_asked():
    class Worker:
        transfer_incoming_log = [{"total": 3}, {"total": 4}]  # noqa: RUF012

    assert transfers.come(Worker) == 7
    assert transfers.come(Worker) == 0


def test_bytes_of_a_run_are_those_that_its_workers_log():
    def make():
        return transfers.placed(800, 400, chunks=(100, 400)).rechunk((800, 50))

    with transfers.cluster(2) as client:
        row = transfers.measured(make, client, 1)
        twice = transfers.placed(4, 4, chunks=(2, 4)) * 2
        np.testing.assert_array_equal(twice.compute(), dt.compute(twice)[0])
    assert 0 < row["measured"] < 800 * 400 * 8 * 2
    assert row["predicted"] > 0


def test_the_report_counts_what_is_near(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(transfers, "PROGRAMS", {"stencil": transfers.stencil})
    monkeypatch.setattr(transfers, "measured", lambda *_: ROW)
    file = tmp_path / "moved.json"
    monkeypatch.setattr("sys.argv", ["transfers.py", "--json", str(file), "--workers", "1"])
    transfers.main()
    assert "within 10%: 1 of 1; of all: 1.00" in capsys.readouterr().out
    assert json.loads(file.read_text()) == {"stencil": ROW}
