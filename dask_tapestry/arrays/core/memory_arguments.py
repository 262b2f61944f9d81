"""``order=`` and ``device=``, NumPy's arguments on memory."""

from __future__ import annotations

from dask_tapestry.amounts import device_name
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.errors import ArgumentError
from dask_tapestry.operators.layouts.on_device import on_device
from dask_tapestry.settings import setting
from dask_tapestry_kernels.block_format import BlockFormat, on_cuda


def device_named(device: str | None) -> BlockFormat | None:
    """The format of arrays on a device that a user names; None for the host.

    {Parameters}
        device: ``"cpu"``, ``"cuda"`` for the device that a worker uses by itself, or one of
            several, as ``"cuda:1"``. None is the host.
    {Raises} ArgumentError: For any other device.

    Examples
    --------
    >>> device_named("cuda:1").device, device_named("cpu")
    ('cuda:1', None)
    """
    kind, _, number = ("cpu" if device is None else device_name("device", device)).partition(":")
    return None if kind == "cpu" else on_cuda(int(number) if number else None)


def check_device(device: str | None) -> None:
    """Refuse a device that there is not.

    {Parameters} device: As the user gave it.
    {Raises} ArgumentError: If `device_named` knows none of that name.

    Examples
    --------
    >>> check_device("cpu")
    """
    device_named(device)


def new_on(x: Array, device: str | None) -> Array:
    """An array that is new on the device that a user names, by default on that of the settings.

    {Parameters} device: As the user gave it.
    {Raises}
        ArgumentError: If `device_named` knows none of that name.
        DeviceError: If no array there can hold its cells.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> new_on(dt.ones(3), "cuda").device
    'cuda'
    """
    wanted = device_named(setting("device") if device is None else device)
    return x if wanted is None else Array(on_device(x.node, wanted))


def moved_to(x: Array, device: str | None) -> Array:
    """An array on the device that a user names; where it is for None.

    {Raises} ArgumentError, DeviceError: As of `new_on`.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> moved_to(dt.ones(3, device="cuda"), "cpu").device
    'cpu'
    """
    wanted = device_named(device)
    is_there = device is None or (wanted is None and x.device == "cpu")
    return x if is_there or x.device == device else Array(on_device(x.node, wanted))


def check_order(order: str | None) -> None:
    """Refuse a memory order that NumPy does not have: a value has no order in memory.

    {Parameters} order: As the user gave it.
    {Raises} ArgumentError: If it is none of None, ``"C"``, ``"F"``, ``"A"`` and ``"K"``, in upper
        or lower case.

    Examples
    --------
    >>> check_order("F")
    """
    if order is not None and str(order).upper() not in ("C", "F", "A", "K"):
        raise ArgumentError(f"order must be one of 'C', 'F', 'A', or 'K' (got {order!r})")
