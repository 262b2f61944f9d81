"""How a wheel is built: its common kernels are compiled, where numba is installed.

Build with ``python -m build --wheel --no-isolation`` in an environment that has the requirements.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from setuptools.command.build_py import build_py  # type: ignore[import-untyped,unused-ignore]

PROGRAM = "dask_tapestry_kernels.wheel.ship"
TARGET = {"NUMBA_CPU_NAME": "x86-64-v3", "NUMBA_CPU_FEATURES": ""}


class BuildWithKernels(build_py):  # type: ignore[misc]  # it is untyped
    """`build_py`, and then the kernels of the package that was built."""

    def run(self) -> None:
        super().run()
        if self.editable_mode:
            return
        root = Path(self.build_lib).resolve()
        folder = root / "dask_tapestry_kernels" / "compiled"
        done = subprocess.run(
            [sys.executable, "-m", PROGRAM, str(folder)],
            env=os.environ | TARGET | {"PYTHONPATH": str(root), "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True, text=True, check=False, cwd=root,
        )  # fmt: skip
        if done.returncode:
            self.warn(f"no kernels are shipped: {done.stderr.strip().splitlines()[-1:]}")
