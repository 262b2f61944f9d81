"""The error of a kernel that its device cannot run."""

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
