"""CuPy, imported when it is first needed, and what is said where it is missing or has no device."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np

from dask_tapestry_kernels.device_error import UnusableDeviceError


def cupy_module() -> Any:
    """CuPy.

    Raises
    ------
    UnusableDeviceError
        If it is not there.
    """
    try:
        return import_module("cupy")
    except ImportError as error:
        raise UnusableDeviceError(
            f"there is no CuPy ({error}): arrays on a CUDA device are CuPy's, which "
            "pip install 'dask_tapestry[cuda]' brings"
        ) from error


def is_cupys(array: object) -> bool:
    """Whether an array is one of CuPy's, which need not be imported."""
    return type(array).__module__.partition(".")[0] == "cupy"


def room_beside(array: Any, shape: Sequence[int]) -> Any:
    """Memory for cells of an array's dtype where it lies, of host or device, to be written."""
    if not is_cupys(array):
        return np.empty(tuple(shape), array.dtype)
    with array.device:
        return cupy_module().empty(tuple(shape), array.dtype)


def cupy_with_device(number: int | None = None) -> Any:
    """CuPy, of a process that has a device: that of a number, if one is named.

    Raises
    ------
    UnusableDeviceError
        If there is no CuPy, no driver, one that is too old, or no such device.
    """
    cupy = cupy_module()
    runtime = cupy.cuda.runtime
    try:
        count = runtime.getDeviceCount()
    except runtime.CUDARuntimeError as error:
        raise UnusableDeviceError(_without_driver(error, runtime)) from error
    if not count:
        raise UnusableDeviceError("there is no CUDA device")
    if number is not None and number >= count:
        known = "cuda:0 alone" if count == 1 else f"cuda:0 to cuda:{count - 1}"
        raise UnusableDeviceError(f"there is no device cuda:{number}: this process has {known}")
    return cupy


def _without_driver(error: Exception, runtime: Any) -> str:
    """Why CUDA does not begin; of a driver that is too old, with both versions."""
    if "InsufficientDriver" not in str(error):
        return f"there is no CUDA device: {error}"
    versions = [getattr(runtime, f"{what}GetVersion", None) for what in ("runtime", "driver")]
    needs, has = [_release(version) for version in versions]
    return (
        f"the driver of CUDA is too old, or not there: CuPy needs {needs}, it has {has} ({error})"
    )


def _release(version: Any) -> str:
    """A version as CUDA counts it, 12090 for 12.9."""
    number = 0 if version is None else int(version())
    return f"CUDA {number // 1000}.{number % 1000 // 10}" if number else "none"
