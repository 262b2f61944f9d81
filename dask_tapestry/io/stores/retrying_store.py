"""A store of zarr's that asks again where a network failed for a moment, and names what failed.

This module imports zarr: it is imported when a remote store is opened.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from typing import Any, Final, TypeVar

from zarr.storage import FsspecStore, WrapperStore

from dask_tapestry.errors import StoreError
from dask_tapestry.io.stores.retries import first_line, note_retry
from dask_tapestry.io.stores.retry_policy import MISSING, is_of_obstore, is_transient, status_of
from dask_tapestry.io.stores.zarr_location import unwrapped
from dask_tapestry.io.tuning import FIRST_WAIT_SECONDS, REQUEST_ATTEMPTS

WRITES: Final = ("set",)  # which need no object to be there

UNLISTED: Final = frozenset({401, 403, 404, 405, 501})  # of HTTP, where folders are not told

Result = TypeVar("Result")


def forget_listings(store: Any) -> None:
    """Have a file system of fsspec's ask again what is in folders: others write too."""
    store = unwrapped(store)
    files = store.fs if isinstance(store, FsspecStore) else None
    while files is not None:  # those that pass calls on do not pass on this one
        files.invalidate_cache()
        files = getattr(files, "sync_fs", None) or getattr(files, "fs", None)


def _is_of_the_store(error: Exception) -> bool:
    """Whether an error says that a store refuses, and not that there is no such object."""
    if isinstance(error, MISSING):
        return False
    return isinstance(error, OSError) or is_of_obstore(error)


class RetryingStore(WrapperStore[Any]):
    """Makes requests to another store, again and again where the network fails."""

    async def _patiently(
        self, what: str, key: str, request: Callable[[], Coroutine[Any, Any, Result]]
    ) -> Result:
        """Make a request for `key`.

        Raises
        ------
        StoreError
            If it failed in a way that stays, or the network each time.
        """
        wait = FIRST_WAIT_SECONDS
        for attempt in range(1, REQUEST_ATTEMPTS + 1):
            try:
                return await request()
            except Exception as error:
                if isinstance(error, StoreError):
                    raise
                if not is_transient(error):
                    writes = what in WRITES and isinstance(error, MISSING)  # no such bucket
                    if writes or _is_of_the_store(error):
                        text = f"cannot {what} {key} of {self._store}: {first_line(error)}"
                        raise StoreError(text) from error
                    raise
                if attempt == REQUEST_ATTEMPTS:
                    said = f"{type(error).__name__}({first_line(error)!r})"
                    many = f"in {REQUEST_ATTEMPTS} attempts"
                    text = f"cannot {what} {key} of {self._store} {many}: {said}"
                    raise StoreError(text) from error
                note_retry(unwrapped(self._store), error)
            await asyncio.sleep(wait * random.uniform(0.5, 1))
            wait *= 2
        raise AssertionError

    async def get(self, key: str, prototype: Any, byte_range: Any = None) -> Any:
        return await self._patiently(
            "get", key, lambda: self._store.get(key, prototype, byte_range)
        )

    async def getsize(self, key: str) -> int:
        return await self._patiently("look at", key, lambda: self._store.getsize(key))

    async def exists(self, key: str) -> bool:
        return await self._patiently("look for", key, lambda: self._store.exists(key))

    async def get_all(self, keys: Sequence[str], prototype: Any) -> list[Any]:
        """Return several objects, asked for at once; None for each that is not there."""
        return await asyncio.gather(*[self.get(key, prototype) for key in keys])

    async def set(self, key: str, value: Any) -> None:
        await self._patiently("set", key, lambda: self._store.set(key, value))

    async def set_if_not_exists(self, key: str, value: Any) -> None:
        await self._patiently("set", key, lambda: self._store.set_if_not_exists(key, value))

    async def delete(self, key: str) -> None:
        await self._patiently("delete", key, lambda: self._store.delete(key))

    async def all_keys(self, prefix: str) -> list[str]:
        """Keys of all objects within `prefix`, as they are now.

        A store that does not tell its keys, or not to us, has none that this library wrote.
        """

        async def request() -> list[str]:
            forget_listings(self._store)
            try:
                return [
                    key async for key in self._store.list_prefix(f"{prefix}/" if prefix else "")
                ]
            except (*MISSING, NotImplementedError, PermissionError):
                return []
            except Exception as error:
                if getattr(error, "status", status_of(error)) in UNLISTED:
                    return []
                raise

        return await self._patiently("list", prefix, request)

    async def delete_keys(self, keys: Sequence[str]) -> None:
        """Delete objects, many by one request where the store can; some may be gone."""
        store = unwrapped(self._store)
        if isinstance(store, FsspecStore) and len(keys) > 1:
            paths = [f"{store.path}/{key}".lstrip("/") if store.path else key for key in keys]
            with suppress(*MISSING):
                await self._patiently("delete", keys[0], lambda: store.fs._rm(paths))
                return
        await asyncio.gather(*[self.delete(key) for key in keys])

    def __str__(self) -> str:
        return str(self._store)
