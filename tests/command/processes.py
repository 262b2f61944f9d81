"""The command as a user has it: in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]


class Told(NamedTuple):
    code: int
    out: str
    err: str


def command(*arguments: object, folder: Path | None = None) -> Told:
    """Run ``dask-tapestry`` with arguments; what it printed, and its exit code."""
    paths = os.pathsep.join(map(str, (ROOT, ROOT / "kernels")))
    found = subprocess.run(
        [sys.executable, "-m", "dask_tapestry", *map(str, arguments)],
        env=os.environ | {"PYTHONPATH": paths}, cwd=folder, capture_output=True, text=True,
        timeout=120, check=False,
    )  # fmt: skip
    return Told(found.returncode, found.stdout, found.stderr)


def script(folder: Path, text: str, name: str = "job.py") -> Path:
    """A script of some lines, which begin with the imports of all of them."""
    path = folder / name
    path.write_text(f"import sys; import numpy as np; import dask_tapestry as dt\n{text}")
    return path
