"""Fingerprints of stored chunks: sizes, and checksums of bytes, that tell changed ones."""

from __future__ import annotations

import os
from collections.abc import Sequence
from hashlib import blake2b
from itertools import product
from typing import Any

from dask_tapestry.imports import lazy_import
from dask_tapestry.io.journals.journal import Box
from dask_tapestry.io.stores.zarr_location import Location, unwrapped
from dask_tapestry.io.stores.zarr_open import open_cached
from dask_tapestry.io.tuning import REQUESTS_AT_ONCE

State = list[Any]  # size, None where there is no such object; and a checksum where it was asked for
States = dict[str, State]  # by keys of chunks


def chunks_in(location: Location, box: Box, sides: Sequence[int]) -> dict[str, Box]:
    """Return the keys of the stored chunks, or shards, that a box meets, and the cells of each."""
    key = open_cached(location).metadata.encode_chunk_key
    spans = [range(lo // n, -(-hi // n)) for (lo, hi), n in zip(box, sides, strict=True)]
    return {
        key(place): tuple([(at * n, at * n + n) for at, n in zip(place, sides, strict=True)])
        for place in product(*spans)
    }


def chunk_states(location: Location, keys: Sequence[str], checksums: bool) -> States:
    """Return what is stored under keys, with `checksums` of all bytes if they are asked for."""
    return dict(zip(keys, _states(location, keys, checksums), strict=True))


def _states(location: Location, keys: Sequence[str], checksums: bool) -> list[State]:
    folder = location.folder
    if folder is not None:
        return [_of_file(f"{folder}/{key}", checksums) for key in keys]
    store = unwrapped(location.store)
    cells = getattr(store, "_store_dict", store)
    head = f"{location.component}/" if location.component else ""
    if isinstance(cells, dict):
        found = [cells.get(head + key) for key in keys]
        return [_of_bytes(None if one is None else one.to_bytes(), checksums) for one in found]
    return _of_objects(location, [head + key for key in keys], checksums)


def _of_file(path: str, checksums: bool) -> State:
    try:
        if not checksums:
            return [os.stat(path).st_size]
        with open(path, "rb") as file:
            return _of_bytes(file.read(), True)
    except (FileNotFoundError, NotADirectoryError):
        return [None]


def _of_bytes(found: Any, checksums: bool) -> State:
    if found is None:
        return [None]
    return [len(found), *([blake2b(found, digest_size=8).hexdigest()] if checksums else [])]


def _of_objects(location: Location, keys: Sequence[str], checksums: bool) -> list[State]:
    """States of objects behind a network, asked for several at once."""
    sync, gather = lazy_import("zarr.core.sync").sync, lazy_import("asyncio").gather
    make = lazy_import("zarr.storage._common").make_store
    store = location.arguments["store"]
    if not isinstance(store, lazy_import("zarr.abc.store").Store):
        store = sync(make(store, mode="r"))
    buffers = lazy_import("zarr.core.buffer").default_buffer_prototype()

    async def state(key: str) -> State:
        if checksums:
            found = await store.get(key, buffers)
            return _of_bytes(None if found is None else found.to_bytes(), True)
        try:
            return [int(await store.getsize(key))]
        except FileNotFoundError:
            return [None]

    async def states(some: Sequence[str]) -> list[State]:
        return list(await gather(*map(state, some)))

    parts = range(0, len(keys), REQUESTS_AT_ONCE)
    return [one for at in parts for one in sync(states(keys[at : at + REQUESTS_AT_ONCE]))]


def same_state(known: Any, found: State) -> bool:
    """Whether what is stored is what was: of the same size, and checksum if that is looked at.

    Examples
    --------
    >>> same_state([3], [3]), same_state([3, "5f"], [3]), same_state([3], [3, "5f"])
    (True, True, False)
    """
    if not isinstance(known, list) or not found or known[:1] != found[:1]:
        return False
    return found[0] is None or known[: len(found)] == found
