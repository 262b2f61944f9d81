"""Retries of requests on workers, as events that reach the client that computes."""

from __future__ import annotations

from typing import Any
from weakref import WeakSet

from dask_tapestry.io.stores.retries import TOPIC, add_retry

_listening: WeakSet[Any] = WeakSet()


def hear_retries_from(client: Any) -> None:
    """Have what a cluster's workers ask again counted here too."""
    if client not in _listening:
        client.subscribe_topic(TOPIC, _take)
        _listening.add(client)


def _take(event: tuple[float, tuple[str, str]]) -> None:
    add_retry(*event[1])
