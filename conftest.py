"""Make plans of tests and examples with shipped rates, and look for garbage less often.

Rates measured on a machine would change them, here and in the processes that tests start; nor are
choices taken that other runs have kept. The garbage collector took a sixth of the tests' time with
Python's own thresholds: graphs and plans are many small objects, few of them garbage.

Modules without an example are not imported to look for some: of those that are compiled, and of
scripts, that took seconds in each process.
"""

import gc
import os

os.environ["DASK_TAPESTRY__RATES"] = "shipped"
os.environ["DASK_TAPESTRY__KEEP_PLANS"] = "False"

import dask.config
import pytest
from _pytest.doctest import DoctestModule

dask.config.set({"tapestry.rates": "shipped", "tapestry.keep-plans": False})
gc.set_threshold(50_000, 20, 20)


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Look for no garbage among tests, which stay to the end: it took a quarter of collecting."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path):
    found = yield
    if file_path.suffix == ".py" and ">>>" not in file_path.read_text("utf-8"):
        return [one for one in found if not isinstance(one, DoctestModule)]
    return found
