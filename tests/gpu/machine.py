"""The machine: its device, driver and packages; ends with 2 where there is no device."""

import importlib.metadata as installed
import json
import os
import platform
import subprocess
import sys
from pathlib import Path

from dask_tapestry_kernels.cupy_module import cupy_with_device
from dask_tapestry_kernels.device_error import KernelDeviceError

ROOT = Path(__file__).parents[2]
NO_DEVICE = 2
PACKAGES = (
    "numpy", "numba", "numba-cuda", "dask", "zarr", "jax", "torch",
    "cupy-cuda12x", "cupy-cuda13x", "nvidia-cuda-nvcc-cu12", "nvidia-cuda-nvcc",
)  # fmt: skip


def packages():
    """Versions of what figures depend on, as far as it is there."""
    found = {}
    for name in PACKAGES:
        try:
            found[name] = installed.version(name)
        except installed.PackageNotFoundError:
            continue
    return found


def commit():
    """The commit of the working tree, if it has one and there is git."""
    command = ["git", "-C", str(ROOT), "rev-parse", "HEAD"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return done.stdout.strip()


def device(cupy):
    """Name and architecture of the device, its memory, and versions of CUDA."""
    about = cupy.cuda.runtime.getDeviceProperties(cupy.cuda.Device().id)
    name = about["name"]
    return {
        "name": name.decode() if isinstance(name, bytes) else str(name),
        "capability": str(cupy.cuda.Device().compute_capability),
        "memory": int(about.get("totalGlobalMem", 0)),
        "driver": cupy.cuda.runtime.driverGetVersion(),
        "runtime": cupy.cuda.runtime.runtimeGetVersion(),
        "cupy": cupy.__version__,
    }


def main(arguments=None):
    """Write what the machine is to a file."""
    (file,) = sys.argv[1:] if arguments is None else arguments
    found = {
        "commit": commit(),
        "python": platform.python_version(),
        "cores": os.cpu_count(),
        "packages": packages(),
    }
    try:
        found["device"] = device(cupy_with_device())
    except KernelDeviceError as error:
        found["without"] = str(error)
    Path(file).write_text(json.dumps(found))
    return 0 if "device" in found else NO_DEVICE


if __name__ == "__main__":
    sys.exit(main())
