"""Names of cubins on disk: by text, modules, versions and architecture."""

from __future__ import annotations

from typing import Final

import numpy as np

from dask_tapestry_kernels.cuda.jit.toolkit import toolkit_version
from dask_tapestry_kernels.jit import module_digest, object_cache
from dask_tapestry_kernels.jit.numba_version import numba_version

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
    return object_cache.name_of(f"cuda sm_{sm}", versions, modules, source)
