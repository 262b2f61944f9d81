"""A plugin of pytest: NumPy's fixtures and marks, and the stand-in for its modules in each test."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from numpy.conftest import *  # noqa: F403

from benchmarks.suites import numpy_stand_in

numpy_stand_in.install()
os.environ.setdefault("NPY_AVAILABLE_MEM", "1GB")  # tests that ask NumPy for more are skipped


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol() -> Iterator[object]:
    """Call ours while a test is set up and run."""
    numpy_stand_in.Served.active = True
    try:
        return (yield)
    finally:
        numpy_stand_in.Served.active = False
