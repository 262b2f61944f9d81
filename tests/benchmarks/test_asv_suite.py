"""asv's classes run the rows of the table, and leave out what a peer cannot run."""

import pytest

from benchmarks.asv_suite import machine
from benchmarks.peers import BENCHED, PEERS


@pytest.fixture(autouse=True)
def _small(monkeypatch):
    monkeypatch.setattr(machine, "SCALE", 1e-4)


def test_the_parameters_are_the_table_and_the_peers():
    rows, peers = machine.Programs.params
    assert rows == list(BENCHED)
    assert peers == [peer.name for peer in PEERS if peer.name != "Cubed"]


def test_a_program_is_set_up_and_called():
    suite = machine.Programs()
    suite.setup("exp_sum", "NumPy")
    assert suite.call() > 0
    suite.time_program("exp_sum", "NumPy")


def test_what_a_peer_cannot_run_is_left_out():
    with pytest.raises(NotImplementedError):
        machine.Programs().setup("sort", "dask.array")


def test_first_calls_and_peaks_are_tracked(monkeypatch):
    asked = []
    answer = {"first": 0.5, "above": 10}
    monkeypatch.setattr(machine.fresh, "ask", lambda *told: asked.append(told) or answer)
    assert machine.Fresh().track_first_call("exp_sum") == 0.5
    assert machine.Fresh().track_peak("exp_sum") == 10
    assert asked == [(what, "dask_tapestry", "exp_sum", 1e-4) for what in ("first_call", "peak")]
