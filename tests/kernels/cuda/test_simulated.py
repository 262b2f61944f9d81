"""Runs the tests of `simulated/` in processes of their own, as numba reads its settings once."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.kernels.cuda.simulated.simulator import ENVIRONMENT

FOLDER = Path(__file__).parent / "simulated"
MODULES = sorted(FOLDER.glob("*_simulated.py"))


@pytest.mark.parametrize("module", [m.stem for m in MODULES])
def test_kernels_have_the_bits_of_the_cpu_in_the_simulator(module):
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
    done = subprocess.run(
        [*command, str(FOLDER / f"{module}.py")],
        env=os.environ | ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert " passed" in done.stdout
    assert " skipped" not in done.stdout
