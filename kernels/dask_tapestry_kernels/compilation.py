"""Compilation of kernels, as programs ask for it: whether blocks wait for it, or do without.

A GPU's kernels are always waited for, as it has no other way to the same bits.
"""

from __future__ import annotations

from dask_tapestry_kernels.cpu.jit.compile_service import mode, wait

__all__ = ["mode", "wait"]
