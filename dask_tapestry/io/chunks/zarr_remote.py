"""Chunks of a Zarr array behind a network: several requests at once, each decoded to its place.

zarr asks for the inner chunks of a shard one after the other: 64 of them at 20 ms each take 1.3 s,
and here .2; neighbours come by one request, and large objects by several. It decodes into fresh
memory, of which it has as much as all that was asked for.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from math import prod
from typing import Any

import numpy as np

from dask_tapestry.errors import StoreError
from dask_tapestry.imports import asyncio, lazy_import
from dask_tapestry.io.chunks.chunk_costs import ReadBuffers
from dask_tapestry.io.chunks.request_sizes import neighbours, rest_in_parts
from dask_tapestry.io.chunks.shard_index import ABSENT, ShardIndex, bytes_within
from dask_tapestry.io.chunks.zarr_array_format import ArrayFormat, chunks_met, has_other_pipeline
from dask_tapestry.io.files.file_cells import Block, Part, part_of
from dask_tapestry.io.stores.retries import note_retry
from dask_tapestry.io.stores.zarr_location import unwrapped
from dask_tapestry.io.stores.zarr_sync import is_at_hand
from dask_tapestry.io.tuning import LARGEST_REQUEST_BYTES, REQUEST_BYTES
from dask_tapestry.late_dataclass import dataclass

Wanted = tuple[Part, Block]  # what is selected of a chunk, and where it goes


def concurrent_requests() -> int:
    """How many requests of a task are under way at one time, as zarr's configuration says."""
    return int(lazy_import("zarr").config.get("async.concurrency") or 1)


@dataclass(frozen=True)
class RemoteArray:
    """An array whose chunks, or shards, are objects of a known format in a store of zarr's.

    Attributes
    ----------
    path
        Of the array, in its store.
    form
        Of its chunks.
    """

    path: Any
    form: ArrayFormat

    @classmethod
    def of(cls, array: Any) -> RemoteArray | None:
        """Return what is known of an array; None where zarr must read it."""
        form = None if is_at_hand(array) else ArrayFormat.of(array)
        if form is None or (form.is_encoded and has_other_pipeline(array)):
            return None
        return cls(array.store_path, form)

    @property
    def read_sides(self) -> tuple[int, ...]:
        """Sides of what is read as a whole: inner chunks of shards, or chunks."""
        known = self.form
        return known.chunk if known.shards is None else known.shards.chunk

    @property
    def in_hand(self) -> ReadBuffers:
        """What reading has in memory beside the cells."""
        itemsize = self.form.format.dtype.itemsize
        return ReadBuffers(prod(self.form.chunk) * itemsize, concurrent_requests())

    def read(self, selection: Sequence[slice], out: Block) -> None:
        """Fill `out` with the cells that slices of the array select.

        Raises
        ------
        StoreError
            If a chunk cannot be read or decoded.
        """
        lazy_import("zarr.core.sync").sync(_Reading(self).all(selection, out))


class _Reading:
    """The requests for one box: at most so many objects are in hand at one time."""

    def __init__(self, array: RemoteArray) -> None:
        self.path, self.form = array.path, array.form
        self._gate = asyncio.Semaphore(concurrent_requests())  # of objects
        self._parts = asyncio.Semaphore(concurrent_requests())  # of large ones, of all together
        self._ranges = lazy_import("zarr.abc.store").RangeByteRequest
        self.most = prod(array.form.chunk) * array.form.format.dtype.itemsize
        self._error: StoreError | None = None
        self._prototype = lazy_import("zarr.core.buffer").default_buffer_prototype()

    async def all(self, selection: Sequence[slice], out: Block) -> None:
        """Read what is selected; all requests have ended when this has."""
        known = self.form
        read = self._chunk if known.shards is None else self._shard
        parts = chunks_met(selection, known.chunk)
        await asyncio.gather(*[read(known.key(at), p, part_of(out, to)) for at, p, to in parts])
        if self._error is not None:
            raise self._error

    @asynccontextmanager
    async def _turn(self, key: str) -> AsyncIterator[bool]:
        """Wait for a turn; what fails in it is kept, and later turns are told to do nothing."""
        async with self._gate:
            try:
                yield self._error is None
            except Exception as error:  # codecs have errors of their own
                if self._error is None:
                    self._error = StoreError(f"cannot read chunk {key}: {error}")
                    self._error.__cause__ = error

    async def _get(self, key: str, wanted: Any = None) -> Block | None:
        found = await (self.path / key).get(self._prototype, wanted)
        return None if found is None else found.as_numpy_array()

    async def _whole(self, key: str) -> Block | None:
        """An object; one that may be large by its first part, and the others at once."""
        if self.most <= LARGEST_REQUEST_BYTES or not self._tells_sizes():
            return await self._get(key)
        start = await self._get(key, self._ranges(0, REQUEST_BYTES))
        if start is None or len(start) < REQUEST_BYTES:
            return start
        place = self.path / key
        whole = np.empty(await place.store.getsize(place.path), start.dtype)
        whole[:REQUEST_BYTES] = start
        parts = rest_in_parts(REQUEST_BYTES, len(whole))
        await asyncio.gather(*[self._part(key, whole[lo:hi], lo) for lo, hi in parts])
        return whole

    async def _part(self, key: str, out: Block, first: int) -> None:
        async with self._parts:
            found = await self._get(key, self._ranges(first, first + len(out)))
        if found is None or len(found) != len(out):
            raise StoreError(f"{key} has changed while it was read")
        out[...] = found

    def _tells_sizes(self) -> bool:
        """Whether the store knows how large an object is without reading it."""
        storage = lazy_import("zarr.storage")
        known = (storage.FsspecStore, storage.ObjectStore)
        return isinstance(unwrapped(self.path.store), known)

    async def _chunk(self, key: str, part: Part, out: Block) -> None:
        """Read from a chunk."""
        async with self._turn(key) as goes_on:
            if goes_on:
                stored = await self._whole(key)
                try:
                    await asyncio.to_thread(self._unpack, stored, part, out)
                except Exception as error:  # it may have come torn
                    note_retry(unwrapped(self.path.store), error)
                    stored = await self._whole(key)
                    await asyncio.to_thread(self._unpack, stored, part, out)

    async def _inner(self, key: str, group: Sequence[tuple[int, int, Wanted]]) -> None:
        """Read from inner chunks that are beside each other, by one request."""
        async with self._turn(key) as goes_on:
            if goes_on:
                for first, end, _ in group:
                    self._refuse_long(end - first)
                start = group[0][0]
                stored = await self._get(key, self._ranges(start, max(one[1] for one in group)))
                for first, end, (part, out) in group:
                    cells = None if stored is None else stored[first - start : end - start]
                    try:
                        await asyncio.to_thread(self._unpack, cells, part, out)
                    except Exception as error:  # it may have come torn
                        note_retry(unwrapped(self.path.store), error)
                        cells = await self._get(key, self._ranges(first, end))
                        await asyncio.to_thread(self._unpack, cells, part, out)

    def _refuse_long(self, length: int) -> None:
        """Raise `ValueError` if an inner chunk is longer than any codec makes it: an index lies."""
        most = self.form.format.most_stored
        if length > most:
            raise ValueError(f"its index says that a chunk has {length} bytes, more than {most}")

    def _unpack(self, stored: Block | None, part: Part, out: Block) -> None:
        if stored is None:
            self.form.fill_absent(out)
        else:
            self.form.format.unpack(stored, part, out)

    async def _shard(self, key: str, part: Part, out: Block) -> None:
        """Read from a shard: all of it by one request, or its index and what is needed."""
        index = self.form.shards
        assert index is not None
        is_whole = out.shape == self.form.chunk
        pairs = None
        async with self._turn(key) as goes_on:
            if not goes_on:
                return
            get = self._whole(key) if is_whole else self._get(key, _place_of(index))
            try:
                pairs = await self._index(await get, index, out, is_whole)
            except StoreError:
                raise
            except Exception as error:  # it may have come torn
                note_retry(unwrapped(self.path.store), error)
                get = self._whole(key) if is_whole else self._get(key, _place_of(index))
                pairs = await self._index(await get, index, out, is_whole)
        if pairs is not None and not is_whole:
            await self._inner_chunks(key, index, pairs, part, out)

    async def _index(
        self, stored: Block | None, index: ShardIndex, out: Block, is_whole: bool
    ) -> Block | None:
        """Return the index of a shard; of a whole one unpack all; None if there is no shard."""
        if stored is None:
            self.form.fill_absent(out)
            return None
        if not is_whole:
            return index.decode(stored)
        pairs = index.decode(stored[: index.nbytes] if index.first else stored[-index.nbytes :])
        await asyncio.to_thread(self._unpack_all, stored, pairs, out)
        return pairs

    def _unpack_all(self, stored: Block, pairs: Block, out: Block) -> None:
        """Unpack all inner chunks of a shard."""
        assert self.form.shards is not None
        every = tuple(slice(0, n) for n in out.shape)
        for at, part, there in chunks_met(every, self.form.shards.chunk):
            first, length = map(int, pairs[at])
            cells = None
            if first != ABSENT:
                cells = stored[bytes_within(first, length, len(stored))]
            self._unpack(cells, part, part_of(out, there))

    async def _inner_chunks(
        self, key: str, index: ShardIndex, pairs: Block, part: Part, out: Block
    ) -> None:
        """Read from inner chunks, neighbours by one request."""
        chunk_reads: list[tuple[int, int, Wanted]] = []
        for at, inner, out_part in chunks_met(part, index.chunk):
            first, length = map(int, pairs[at])
            place = part_of(out, out_part)
            if first == ABSENT:
                self.form.fill_absent(place)
            else:
                chunk_reads.append((first, first + length, (inner, place)))
        await asyncio.gather(*[self._inner(key, group) for group in neighbours(chunk_reads)])


def _place_of(index: ShardIndex) -> Any:
    """The bytes of a shard in which its index is, as zarr's stores are asked for them."""
    requests = lazy_import("zarr.abc.store")
    if index.first:
        return requests.RangeByteRequest(0, index.nbytes)
    return requests.SuffixByteRequest(index.nbytes)
