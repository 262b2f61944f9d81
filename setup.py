"""What `pyproject.toml` cannot say: a wheel brings machine code, compiled as it is built."""

import sys

from setuptools import setup

sys.path.insert(0, "kernels")
from dask_tapestry_kernels.wheel.build import BuildWithKernels, Wheel

setup(distclass=Wheel, cmdclass={"build_py": BuildWithKernels})
