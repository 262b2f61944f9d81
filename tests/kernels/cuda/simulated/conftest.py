"""Tests of this folder run in a process that simulates, which `test_simulated` starts.

On a device `python -m tests.gpu` runs them.
"""

import os
from collections import Counter

import pytest

from tests.kernels.cuda.simulated import run_kernel, simulator

if simulator.is_asked_for():
    simulator.begin()
elif not run_kernel.is_on_device():
    collect_ignore_glob = ["*"]

from dask_tapestry_kernels.cuda.jit import runtime


def pytest_collection_modifyitems(items):
    """Leave out every other case where half are asked for; of each function the first stays."""
    if not simulator.is_asked_for():
        return  # items are those of all folders
    one_in = int(os.environ.get("SIMULATED_SHARE", "1"))
    turns = Counter()
    kept = []
    for item in items:
        if turns[item.function] % one_in == 0:
            kept.append(item)
        turns[item.function] += 1
    items[:] = kept


@pytest.fixture
def gpu():
    """A GPU that kernels use: simulated, or the one that there is."""
    on_device = run_kernel.is_on_device()
    there = run_kernel.WatchedRuntime() if on_device else simulator.SimulatedRuntime()
    runtime.use(there)
    return there
