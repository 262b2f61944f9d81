"""Sizes of requests: what is far larger is cut, what is small is joined.

One connection to a server of objects carries tens of megabytes a second, and a request takes tens
of milliseconds before its first byte. Requests of some 10 MB, several at once, use a network fully.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import ceil
from typing import Any, TypeVar

from dask_tapestry.io.tuning import GAP_BYTES, LARGEST_REQUEST_BYTES, REQUEST_BYTES

Item = TypeVar("Item")


def rest_in_parts(first: int, total: int) -> list[tuple[int, int]]:
    """Places of alike parts of an object from `first` on, each of 5 to 15 MB but a short rest.

    Examples
    --------
    >>> rest_in_parts(10_000_000, 42_000_000)
    [(10000000, 20666667), (20666667, 31333334), (31333334, 42000000)]
    >>> rest_in_parts(10_000_000, 10_000_100), rest_in_parts(5, 5)
    ([(10000000, 10000100)], [])
    """
    length = total - first
    count = max(1, round(length / REQUEST_BYTES))
    side = ceil(length / count)
    return [(at, min(total, at + side)) for at in range(first, total, side)] if length > 0 else []


def neighbours(
    items: Iterable[tuple[int, int, Item]],
) -> Iterator[list[tuple[int, int, Item]]]:
    """Groups of items, each at bytes from a first to an end, that one request asks for.

    Examples
    --------
    >>> far = 10**8
    >>> [len(group) for group in neighbours([(8, 16, "b"), (far, far + 8, "c"), (0, 8, "a")])]
    [2, 1]
    """
    group: list[tuple[int, int, Item]] = []
    for first, end, item in sorted(items, key=_place):
        last = max((one[1] for one in group), default=0)
        if group and (
            first - last > GAP_BYTES or max(end, last) - group[0][0] > LARGEST_REQUEST_BYTES
        ):
            yield group
            group = []
        group.append((first, end, item))
    if group:
        yield group


def _place(item: tuple[int, int, Any]) -> tuple[int, int]:
    return item[0], item[1]
