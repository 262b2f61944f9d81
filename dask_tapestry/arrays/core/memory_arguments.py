"""``order=`` and ``device=``, NumPy's arguments on memory: checked, and without effect here."""

from __future__ import annotations

from dask_tapestry.amounts import is_one_of
from dask_tapestry.errors import ArgumentError


def check_device(device: str | None) -> None:
    """Refuse a device other than None and ``"cpu"``: where an array is computed, its plan says.

    {Parameters} device: As the user gave it.
    {Raises} ArgumentError: For any other device.

    Examples
    --------
    >>> check_device("cpu")
    """
    if not is_one_of(device, (None, "cpu")):
        raise ArgumentError(f'Device not understood. Only "cpu" is allowed, but received: {device}')


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
