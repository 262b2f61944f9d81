"""Amounts as users write them, checked: rates, times, and how much there is of what they name."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf

from dask.utils import parse_bytes, parse_timedelta


def bytes_a_second(name: str, given: int | str) -> int:
    """The rate `given` for the parameter `name`, as in ``25 GB/s``.

    Examples
    --------
    >>> bytes_a_second("bandwidth", "25 GB/s")
    25000000000
    """
    rate = int(parse_bytes(given.removesuffix("/s") if isinstance(given, str) else given))
    if rate < 1:
        raise ValueError(f"{name} must be at least 1 byte a second, not {given!r}")
    return rate


def seconds(name: str, given: float | str) -> float:
    """The time `given` for the parameter `name`.

    Examples
    --------
    >>> seconds("latency", "250 ms")
    0.25
    """
    time = float(parse_timedelta(given) if isinstance(given, str) else given)
    if not 0 <= time < inf:
        raise ValueError(f"{name} must be a number of seconds, at least 0, not {given!r}")
    return time


def amounts_by_name(given: Mapping[str, float]) -> dict[str, float]:
    """The amounts of resources that users have named, sorted by name."""
    for name, amount in given.items():
        if not isinstance(name, str):
            raise TypeError(f"limits are of resources by name; {name!r} is no name")
        if isinstance(amount, bool) or not isinstance(amount, int | float) or not amount > 0:
            raise ValueError(f"the limit of {name!r} must be a positive number, not {amount!r}")
    return dict(sorted(given.items()))
