"""The errors of kernels that a device cannot run, and of devices that run none."""

from __future__ import annotations


class KernelDeviceError(RuntimeError):
    """A device lacks a kernel, a dtype or what it needs to run at all; the text says which.

    Examples
    --------
    >>> raise KernelDeviceError("kernel map: no complex64 on cuda")
    Traceback (most recent call last):
    ...
    dask_tapestry_kernels.device_error.KernelDeviceError: kernel map: no complex64 on cuda
    """


class UnusableDeviceError(KernelDeviceError):
    """There is no device, or not what loading a kernel takes: no kernel runs, whatever its cells.

    Examples
    --------
    >>> issubclass(UnusableDeviceError, KernelDeviceError)
    True
    """
