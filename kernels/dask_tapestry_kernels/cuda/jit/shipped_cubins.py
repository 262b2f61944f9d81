"""Cubins that come with the package, or were put beside it: for workers that can compile nothing.

A cubin of the cache is named by the versions of what compiled it, too. One that comes with a
package is named by its text and the modules that it inlines alone, so that a worker needs CuPy and
neither numba-cuda nor an assembler.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from dask_tapestry_kernels.cuda.jit.cubin_cache import COMPILER
from dask_tapestry_kernels.jit import module_digest, object_cache
from dask_tapestry_kernels.jit.object_cache import Compiled

FOLDER: Final = module_digest.PACKAGE / "cubins"


def key_of(source: str, sm: int) -> str:
    """Name of the cubin of a source for an architecture, as 90 for ``sm_90``."""
    modules = module_digest.digest_of(source, COMPILER)
    return object_cache.name_of(f"cuda sm_{sm}", modules, source)


def read(source: str, sm: int, folder: Path | None = None) -> Compiled | None:
    """The cubin of a source, if one came with this package."""
    folder = folder or FOLDER
    return object_cache.read_from(folder, key_of(source, sm)) if folder.is_dir() else None


def write(folder: Path, source: str, sm: int, compiled: Compiled) -> bool:
    """Put a cubin into a folder that a package may bring; return whether that was possible."""
    folder.mkdir(parents=True, exist_ok=True)
    return object_cache.write_to(folder, key_of(source, sm), compiled)
