"""The errors of kernels that a device cannot run, and of devices that run none."""

from __future__ import annotations


class DeviceError(RuntimeError):
    """A device lacks a kernel, a dtype or what it needs to run at all; the text says which.

    Examples
    --------
    >>> raise DeviceError("kernel map: complex64 has no arithmetic on cuda")
    Traceback (most recent call last):
    ...
    dask_tapestry_kernels.device_error.DeviceError: kernel map: complex64 has no arithmetic on cuda
    """


class UnusableDeviceError(DeviceError):
    """There is no device, or not what loading a kernel takes: no kernel runs, whatever its cells.

    Examples
    --------
    >>> issubclass(UnusableDeviceError, DeviceError)
    True
    """
