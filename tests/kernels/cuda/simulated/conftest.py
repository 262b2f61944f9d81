"""Tests of this folder run in a process that simulates, which `test_simulated` starts.

On a device `python -m tests.gpu` runs them. Of a test that has many cases, two thirds are marked
`exhaustive`: a simulated launch takes a thousand times what one takes on a device.
"""

from collections import Counter
from zlib import crc32

import pytest

from tests.kernels.cuda.simulated import run_kernel, simulator

if simulator.is_asked_for():
    simulator.begin()
elif not run_kernel.is_on_device():
    collect_ignore_glob = ["*"]

from dask_tapestry_kernels.cuda.jit import runtime

MANY_CASES = 12
SHARE = 3  # of many cases, one in so many is always run


@pytest.hookimpl(tryfirst=True)  # before pytest looks at marks
def pytest_collection_modifyitems(items):
    cases = Counter(item.nodeid.partition("[")[0] for item in items)
    for item in items:
        many = cases[item.nodeid.partition("[")[0]] > MANY_CASES
        if many and crc32(item.nodeid.partition("::")[2].encode()) % SHARE:
            item.add_marker("exhaustive")


@pytest.fixture
def gpu():
    """A GPU that kernels use: simulated, or the one that there is."""
    on_device = run_kernel.is_on_device()
    there = run_kernel.WatchedRuntime() if on_device else simulator.SimulatedRuntime()
    runtime.use(there)
    return there
