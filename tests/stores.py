"""Stores of zarr's that count what is asked of them, or behave as stores behind a network do."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from typing import Any

from zarr.storage import WrapperStore

METADATA = ("zarr.json", ".zarray", ".zgroup", ".zattrs", ".zmetadata", ".dask_tapestry")


class CountingStore(WrapperStore[Any]):
    """Counts requests and bytes by key; opened again by zarr, it counts on.

    Attributes
    ----------
    reads, writes
        How often each chunk was read, in whole or in part, and written.
    read_bytes
        Bytes that were read of each.
    metadata
        How often each other object was read.
    at_once
        Most requests that were under way at one time.
    """

    def __init__(self, store: Any, shared: CountingStore | None = None) -> None:
        super().__init__(store)
        self.reads: Counter[str] = Counter() if shared is None else shared.reads
        self.writes: Counter[str] = Counter() if shared is None else shared.writes
        self.read_bytes: Counter[str] = Counter() if shared is None else shared.read_bytes
        self.metadata: Counter[str] = Counter() if shared is None else shared.metadata
        self._first = self if shared is None else shared._first
        self._under_way = self.at_once = 0

    def _with_store(self, store: Any) -> CountingStore:
        return type(self)(store, self)

    def clear_counts(self) -> None:
        """Begin to count anew."""
        for counter in (self.reads, self.writes, self.read_bytes, self.metadata):
            counter.clear()
        self._first.at_once = 0

    async def get(self, key: str, prototype: Any, byte_range: Any = None) -> Any:
        first = self._first
        is_chunk = not key.endswith(METADATA)
        (self.reads if is_chunk else self.metadata)[key] += 1
        first._under_way += 1
        first.at_once = max(first.at_once, first._under_way)
        try:
            found = await self.answer(key, prototype, byte_range)
        finally:
            first._under_way -= 1
        if is_chunk and found is not None:
            self.read_bytes[key] += len(found)
        return found

    async def answer(self, key: str, prototype: Any, byte_range: Any) -> Any:
        """Read of the store behind."""
        return await self._store.get(key, prototype, byte_range)

    async def set(self, key: str, value: Any) -> None:
        if not key.endswith(METADATA):
            self.writes[key] += 1
        await self._store.set(key, value)


class DistantStore(CountingStore):
    """Answers after a time, and at first with the errors that it is told.

    Attributes
    ----------
    latency
        Seconds that each answer takes.
    fails
        Called with a key and how often that was asked for; returns an error, or None.
    """

    latency = 0.0
    fails: Callable[[str, int], Exception | None] = staticmethod(lambda key, times: None)

    def _with_store(self, store: Any) -> CountingStore:
        other = type(self)(store, self)
        other.latency, other.fails = self.latency, self.fails
        return other

    async def answer(self, key: str, prototype: Any, byte_range: Any) -> Any:
        await asyncio.sleep(self.latency)
        error = self.fails(key, self.reads[key] + self.metadata[key])
        if error is not None:
            raise error
        return await super().answer(key, prototype, byte_range)

    async def set(self, key: str, value: Any) -> None:
        await asyncio.sleep(self.latency)
        await super().set(key, value)
        error = self.fails(key, self.writes[key])
        if error is not None:
            raise error
