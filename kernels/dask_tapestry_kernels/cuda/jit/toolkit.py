"""Where NVIDIA's assembler is, for processes that import nothing of NVIDIA's."""

from __future__ import annotations

import shutil
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from dask_tapestry_kernels.device_error import UnusableDeviceError

FOLDERS: Final = ("cuda_nvcc", "cu13")  # of the wheels for CUDA 12 and 13, within `nvidia`
HOW: Final = "pip install 'dask_tapestry[cuda]' brings what compiles for a GPU"


@cache
def ptxas() -> Path:
    """The assembler, of a wheel or on the path.

    Raises
    ------
    DeviceError
        If there is none.
    """
    spec = find_spec("nvidia")
    roots = list(spec.submodule_search_locations or []) if spec else []
    for root in roots:
        for folder in FOLDERS:
            file = Path(root) / folder / "bin" / "ptxas"
            if file.exists():
                return file
    found = shutil.which("ptxas")
    if found is None:
        raise UnusableDeviceError(f"ptxas was not found: {HOW}")
    return Path(found)


@cache
def toolkit_version() -> str:
    """What cubins depend on besides their sources: the versions of numba-cuda and the assembler.

    Installers leave a folder of the version's name beside a package.
    """
    spec = find_spec("numba_cuda")
    if spec is None or spec.origin is None:
        raise UnusableDeviceError(f"numba-cuda is not installed: {HOW}")
    site = Path(spec.origin).parent.parent
    names = [folder.name for pattern in PATTERNS for folder in sorted(site.glob(pattern))]
    return " ".join(name.removesuffix(".dist-info") for name in names)


PATTERNS: Final = ("numba_cuda-*.dist-info", "nvidia_cuda_nvcc*.dist-info")
