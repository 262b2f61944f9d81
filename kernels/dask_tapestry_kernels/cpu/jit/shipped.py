"""Shipped kernels, which come with the package: object code for the level x86-64-v3.

The first use of an elementary function on a machine would wait for a compiler, as nothing else has
its bits. A wheel therefore brings these functions, the random variates and the common folds, which
`dask_tapestry_kernels.wheel` compiles while it is built. They have the bits of code that is
compiled here. Beside them lies a file that says for which processors and with which numba they were
compiled; code for others is not loaded.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from dask_tapestry_kernels.cpu.jit.llvm import llvm
from dask_tapestry_kernels.cpu.jit.object_keys import COMPILER
from dask_tapestry_kernels.jit import module_digest, object_cache
from dask_tapestry_kernels.jit.numba_version import numba_version

LEVEL: Final = "x86-64-v3"
FEATURES: Final = ("avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe")  # that it needs
FOLDER: Final = module_digest.PACKAGE / "compiled"
TARGET: Final = "target.json"  # the file beside the kernels


class CompileTarget(NamedTuple):
    """What kernels were compiled for, and with what."""

    processor: str
    numba: str


def key_of(source: str) -> str:
    """Name of a shipped kernel: a digest of its text and of the modules it needs."""
    return object_cache.name_of(LEVEL, module_digest.digest_of(source, COMPILER), source)


def read(source: str, folder: Path = FOLDER) -> object_cache.Compiled | None:
    """Return the kernel of a source, if one that runs here came with this package."""
    if refusal(folder) is not None:
        return None
    return object_cache.read_from(folder, key_of(source))


@cache
def refusal(folder: Path = FOLDER) -> str | None:
    """Why the kernels of a folder are not loaded here; None if they are.

    Releases of numba that differ in their last number alone take each other's code, as the
    package's requirements do.
    """
    target = target_of(folder)
    if target is None:
        return "this installation brought no compiled kernels"
    if missing := missing_features():
        return (
            f"the kernels of this installation are compiled for {target.processor} processors, and "
            f"this one ({llvm().get_host_cpu_name()}) lacks {', '.join(missing)}"
        )
    if _series(target.numba) != _series(numba_version()):
        return (
            f"the kernels of this installation are compiled with numba {target.numba}, and here is "
            f"numba {numba_version() or 'missing'}"
        )
    return None


def target_of(folder: Path) -> CompileTarget | None:
    """What the kernels of a folder were compiled for; None where there are none."""
    try:
        said = json.loads((folder / TARGET).read_bytes())
        return CompileTarget(str(said["processor"]), str(said["numba"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def write_target(folder: Path) -> None:
    """Write down what the kernels of a folder are compiled for, and with what."""
    target = CompileTarget(LEVEL, numba_version())
    (folder / TARGET).write_text(json.dumps(target._asdict()) + "\n")


def missing_features() -> list[str]:
    """What this processor lacks for being of the level."""
    features = llvm().get_host_cpu_features()
    return [name for name in FEATURES if not features.get(name)]


def _series(version: str) -> list[str]:
    return version.split(".")[:2]
