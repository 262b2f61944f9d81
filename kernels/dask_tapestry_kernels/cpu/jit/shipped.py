"""Kernels that come with the package: object code for processors of the level x86-64-v3.

The first use of an elementary function on a machine would wait for a compiler, as nothing else has
its bits. A wheel therefore brings these functions and the common folds, which
`dask_tapestry_kernels.wheel` compiles while it is built. They have the bits of code that is
compiled here. Other versions of this package and other processors take no notice of them.
"""

from __future__ import annotations

from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Final

from dask_tapestry_kernels.cpu.jit import module_digest, object_cache
from dask_tapestry_kernels.cpu.jit.llvm import llvm

LEVEL: Final = "x86-64-v3"
FEATURES: Final = ("avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe")  # that it needs
FOLDER: Final = module_digest.PACKAGE / "compiled"


def key_of(source: str) -> str:
    """Name of a shipped kernel: a digest of its text and of the modules it needs."""
    text = f"{LEVEL} {module_digest.digest_of(source)}\n{source}"
    return blake2b(text.encode(), digest_size=20).hexdigest()


def read(source: str, folder: Path = FOLDER) -> object_cache.Compiled | None:
    """Return the kernel of a source, if one came with the package that runs here."""
    if not _serves(folder):
        return None
    return object_cache.read_from(folder, key_of(source))


@cache
def _serves(folder: Path) -> bool:
    return folder.is_dir() and runs_here()


def runs_here() -> bool:
    """Whether this processor is of the level."""
    features = llvm().get_host_cpu_features()
    return all(features.get(name) for name in FEATURES)
