"""Loops that both libraries run as NumPy does."""

import numpy as np
import pytest

from benchmarks.workloads import iterations
from benchmarks.workloads.iterations import LIBRARIES, LOOPS, Measured, line, measure


@pytest.mark.parametrize("loop", LOOPS)
def test_all_libraries_come_to_the_same(loop):
    measured = {name: measure(name, loop, 6400, 4, 60.0) for name in LIBRARIES}
    assert all(len(one.steps) == 4 for one in measured.values())
    assert measured["ours"].planning > 0
    for one in measured.values():
        np.testing.assert_allclose(one.value, measured["NumPy"].value, rtol=1e-3, atol=1e-6)
    assert "OTHER" not in line(loop, measured)


def test_a_slow_library_is_stopped_and_not_compared():
    measured = {name: measure(name, "heat", 6400, 3, 60.0) for name in ("NumPy", "ours")}
    measured["dask"] = measure("dask", "heat", 6400, 3, 0.0)
    assert len(measured["dask"].steps) == 1
    assert "OTHER" not in line("heat", measured)


def test_other_values_are_told():
    measured = {name: Measured([1.0], 0.0, np.zeros(3)) for name in LIBRARIES}
    assert "OTHER" not in line("heat", measured)
    measured["ours"] = Measured([1.0], 0.0, np.ones(3))
    assert "OTHER VALUES" in line("heat", measured)


def test_the_usual_step_leaves_the_first_two_aside():
    assert Measured([9.0, 8.0, 1.0, 2.0, 3.0], 0.0, np.zeros(1)).usual == 2
    assert iterations.Measured([5.0], 0.0, np.zeros(1)).usual == 5
