"""Cubins in the disk cache of compiled kernels, by text, modules, versions and architecture."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2b
from typing import Final

import numpy as np

from dask_tapestry_kernels.cpu.jit import module_digest, object_cache
from dask_tapestry_kernels.cpu.jit.numba_version import numba_version
from dask_tapestry_kernels.cpu.jit.object_cache import Compiled
from dask_tapestry_kernels.cuda.jit.toolkit import toolkit_version

COMPILER: Final = "dask_tapestry_kernels.cuda.jit.child.compiler"


def key_of(source: str, sm: int) -> str:
    """Name of the cubin of a source for an architecture, as 90 for ``sm_90``.

    Raises
    ------
    DeviceError
        If there is nothing that could compile it.
    """
    versions = f"{toolkit_version()} numba {numba_version()} numpy {np.__version__}"
    modules = module_digest.digest_of(source, COMPILER)
    text = f"cuda sm_{sm} {versions} {modules}\n{source}"
    return blake2b(text.encode(), digest_size=20).hexdigest()


def made(key: str, make: Callable[[], Compiled]) -> Compiled:
    """Return a cubin that is kept, or make and keep it; of several processes one makes it."""
    with object_cache.alone(key) as waited:
        if waited and (kept := object_cache.read(key)) is not None:
            return kept
        compiled = make()
        object_cache.write(key, compiled)
        return compiled
