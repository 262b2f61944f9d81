"""First calls and peaks, in this process and in one of their own."""

import sys

import numpy as np
import pytest

from benchmarks import fresh
from benchmarks.peers import BENCHED, NumPy
from dask_tapestry_kernels.cpu.jit import shipped


class Wasteful(NumPy):
    """Needs 80 MB beside its result."""

    def program(self, comparison, arrays):
        return lambda: np.ones(10_000_000).sum()


def test_the_first_call_is_timed_beside_later_ones():
    found = fresh.first_call(NumPy(), BENCHED["exp_sum"], 1e-4)
    assert list(found) == ["first", "second", "later"]
    assert all(seconds > 0 for seconds in found.values())


@pytest.mark.skipif(sys.platform != "linux", reason="reads Linux's counters")
def test_the_peak_is_what_is_held_above_inputs_and_results():
    found = fresh.peak(Wasteful(), BENCHED["exp_sum"], 0.01)
    assert found["inputs"] == 3_200_000
    assert found["results"] == 8
    assert 70e6 < found["above"] < 100e6


def test_a_process_of_its_own_answers():
    found = fresh.ask("first_call", "NumPy", "scale_sum 10_000 cells", 1)
    assert found["first"] > 0


def test_what_a_wheel_brings_may_lie_in_a_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(shipped, "read", shipped.read)
    fresh.bring(str(tmp_path / "kernels"))
    assert shipped.read("a text") is None
    found = fresh.ask("first_call", "dask_tapestry", "scale_sum 10_000 cells", 1, str(tmp_path))
    assert found["first"] > 0


def test_what_fails_there_is_said():
    assert "no peer matlab" in fresh.ask("first_call", "matlab", "exp_sum", 1)["error"]
