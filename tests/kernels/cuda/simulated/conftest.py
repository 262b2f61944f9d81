"""Tests of this folder run in a process that simulates, which `test_simulated` starts.

On a device `python -m tests.gpu` runs them.
"""

import pytest

from tests.kernels.cuda.simulated import run_kernel, simulator

if simulator.is_asked_for():
    simulator.begin()
elif not run_kernel.is_on_device():
    collect_ignore_glob = ["*"]

from dask_tapestry_kernels.cuda.jit import runtime


@pytest.fixture
def gpu():
    """A GPU that kernels use: simulated, or the one that there is."""
    on_device = run_kernel.is_on_device()
    there = run_kernel.WatchedRuntime() if on_device else simulator.SimulatedRuntime()
    runtime.use(there)
    return there
