"""The build backend: common kernels are compiled, and the wheel's tag says for which machines.

Whoever builds has numba, as the build requirements in ``pyproject.toml`` ask for it. Kernels that
cannot be compiled stop the build, as a wheel without them would let its users wait for a compiler.
There are wheels for any machine as well, which bring no kernels: on other processors than x86-64,
and where the environment variable ``DASK_TAPESTRY_BUILD_KERNELS`` is ``no``.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

from setuptools.command.bdist_wheel import bdist_wheel  # type: ignore[import-untyped,unused-ignore]
from setuptools.command.build_py import build_py  # type: ignore[import-untyped,unused-ignore]
from setuptools.errors import ExecError  # type: ignore[import-untyped,unused-ignore]

PACKAGE: Final = "dask_tapestry_kernels"
FOLDER: Final = "compiled"
PROGRAM: Final = f"{PACKAGE}.wheel.ship"
TARGET: Final = {"NUMBA_CPU_NAME": "x86-64-v3", "NUMBA_CPU_FEATURES": ""}
MACHINES: Final = ("x86_64", "AMD64")
SETTING: Final = "DASK_TAPESTRY_BUILD_KERNELS"


def brings_kernels() -> bool:
    """Whether a wheel that is built here brings compiled kernels."""
    return platform.machine() in MACHINES and os.environ.get(SETTING, "yes") != "no"


class PlatformWheel(bdist_wheel):  # type: ignore[misc,unused-ignore]  # it is untyped
    """`bdist_wheel`: with machine code in it, a wheel is for one platform and one Python.

    The object code knows no Python, but numba reads the bytecode of the Python that it runs in:
    what was compiled from another one's was not tested.
    """

    def finalize_options(self) -> None:
        self.distribution.has_ext_modules = brings_kernels  # what setuptools asks for the tag
        super().finalize_options()


class BuildWithKernels(build_py):  # type: ignore[misc]  # it is untyped
    """`build_py`, and then the kernels of the package that was built."""

    def run(self) -> None:
        super().run()
        if self.editable_mode:
            return
        folder = Path(self.build_lib).resolve() / PACKAGE / FOLDER
        if brings_kernels():
            self._compile(folder)
        else:
            shutil.rmtree(folder, ignore_errors=True)  # of a build that brought some
            self.warn(f"no compiled kernels: this is {platform.machine()}, or {SETTING}=no")

    def _compile(self, folder: Path) -> None:
        own = Path(self.get_package_dir(PACKAGE)) / FOLDER
        if own.is_dir():  # a checkout's: those that are up to date stay
            shutil.rmtree(folder, ignore_errors=True)  # the file of the target alone, as JSON is
            shutil.copytree(own, folder)
        root = folder.parent.parent
        paths = [str(root), *filter(None, sys.path)]  # an isolated build has numba on its own path
        completed = subprocess.run(
            [sys.executable, "-m", PROGRAM, str(folder)],
            env=os.environ
            | TARGET
            | {"PYTHONPATH": os.pathsep.join(paths), "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True, text=True, check=False, cwd=root,
        )  # fmt: skip
        if completed.returncode:
            last = (completed.stderr.strip().splitlines() or ["no message"])[-1]
            raise ExecError(f"kernels cannot be compiled ({SETTING}=no leaves them out): {last}")
        self.announce(completed.stdout.strip(), level=2)
