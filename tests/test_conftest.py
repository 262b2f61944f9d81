"""A test process that crashes shows where, and how it ended; graphs are checked node by node."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from dask_tapestry.errors import ConstraintError
from dask_tapestry.teg import Graph, TensorType
from tests.conftest import _check
from tests.teg.test_check import SAME, Probe, forged, vector

ROOT = Path(__file__).parent.parent
CRASH = "import ctypes\n\ndef test_a_crash():\n    ctypes.string_at(0)\n"


def test_a_lost_process_shows_its_stack_and_its_end(tmp_path):
    (tmp_path / "conftest.py").write_text((ROOT / "tests/conftest.py").read_text())
    (tmp_path / "test_crash.py").write_text(CRASH)
    options = ["-c", str(ROOT / "pyproject.toml"), f"--rootdir={tmp_path}", "-pno:cacheprovider"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-n1", "--max-worker-restart=0", *options, str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert "Segmentation fault" in done.stderr, done.stderr
    assert "in test_a_crash" in done.stderr
    assert "gw0 ended with -11" in done.stdout, done.stdout


def test_a_wrong_node_is_found_among_those_that_were_checked():
    x = vector()
    _check(Graph([x]))
    wrong = Graph([forged(Probe(SAME, SAME), [x], type_=TensorType((5,), np.dtype("f8")))])
    for _ in range(2):  # nor is it taken for a right one then
        with pytest.raises(ConstraintError, match="breaks types_follow_from_inputs"):
            _check(wrong)
