"""Compilation of kernels for GPUs that need not be there, as the command asks for it."""

from __future__ import annotations

from dask_tapestry_kernels.cuda.jit.compiling_runtime import compiling_for

__all__ = ["compiling_for"]
