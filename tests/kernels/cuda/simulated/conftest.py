"""Tests of this folder run in a process that simulates; `test_simulated` starts it."""

import pytest

from tests.kernels.cuda.simulated import simulator

if simulator.is_asked_for():
    simulator.begin()
else:
    collect_ignore_glob = ["*"]

from dask_tapestry_kernels.cuda.jit import runtime


@pytest.fixture
def gpu():
    """A simulated GPU, which kernels use."""
    simulated = simulator.SimulatedRuntime()
    runtime.use(simulated)
    return simulated
