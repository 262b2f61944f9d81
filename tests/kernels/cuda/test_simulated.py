"""Runs the tests of `simulated/` in processes of their own, as numba reads its settings once."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.covering import beyond
from tests.kernels.cuda.simulated.simulator import ENVIRONMENT, HALF

FOLDER = Path(__file__).parent / "simulated"
MODULES = sorted(module.name for module in FOLDER.glob("*_simulated.py"))
TOGETHER = 8  # modules of a process, which takes 2 s to begin


@pytest.mark.whole
@pytest.mark.parametrize("share", [HALF, beyond({})], ids=["half", "every"])
@pytest.mark.parametrize("first", range(0, len(MODULES), TOGETHER), ids=MODULES[::TOGETHER])
def test_kernels_have_the_bits_of_the_cpu_in_the_simulator(first, share):
    """Of the cases of each module every other, or all: a device runs all of them too."""
    modules = MODULES[first : first + TOGETHER]
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:xdist"]
    done = subprocess.run(
        [*command, *[str(FOLDER / module) for module in modules]],
        env=os.environ | ENVIRONMENT | share | {"PYTEST_ADDOPTS": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert [module for module in modules if f"{module} ." not in done.stdout] == []
    assert " skipped" not in done.stdout
