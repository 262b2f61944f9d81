"""Keys of object code on disk, its names: by source, what that inlines, compiler and processor."""

from __future__ import annotations

from functools import cache
from typing import Final

import numpy as np

from dask_tapestry_kernels.cpu.jit import llvm
from dask_tapestry_kernels.jit import module_digest, object_cache
from dask_tapestry_kernels.jit.numba_version import numba_version

COMPILER: Final = "dask_tapestry_kernels.cpu.jit.child.compiler"  # whose options code depends on


def key_of(source: str) -> str:
    """Name of a kernel: a digest of its text and of all that its code depends on."""
    return object_cache.name_of(_environment(), module_digest.digest_of(source, COMPILER), source)


@cache
def _environment() -> str:
    """What object code depends on besides its source and what it inlines: compiler, processor."""
    binding = llvm.llvm()
    versions = f"numba {numba_version()} llvmlite {llvm.version()} numpy {np.__version__}"
    features = binding.get_host_cpu_features().flatten()
    return f"{versions} {binding.get_host_cpu_name()} {features}"
