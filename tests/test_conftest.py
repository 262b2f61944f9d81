"""A test process that crashes shows where, and how it ended."""

import subprocess
import sys
from pathlib import Path

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
