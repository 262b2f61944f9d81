"""The errors of devices, which kernels raise too."""

from __future__ import annotations

from dask_tapestry.basic_errors import TapestryError
from dask_tapestry_kernels.device_error import KernelDeviceError


class DeviceError(TapestryError, KernelDeviceError):
    """A device is not there, or lacks what an array on it needs.

    Raised when an expression is built, if its arrays lie on several devices or have cells that no
    array there can hold; and by tasks, if the worker has no CuPy, no driver or no device. It is a
    `RuntimeError` too, as CUDA's errors are.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> try:
    ...     dt.arange("2001-01", "2001-03", dtype="M8[M]").to_device("cuda")
    ... except dt.DeviceError as error:
    ...     print(error)
    no array on cuda can hold cells of datetime64[M]
    """


class DeviceMemoryError(DeviceError, MemoryError):
    """A device has no memory left for a block, as where others use the same card.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> issubclass(dt.DeviceMemoryError, MemoryError), issubclass(dt.MemoryLimitError, MemoryError)
    (True, True)
    """
