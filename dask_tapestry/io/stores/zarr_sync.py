"""Zarr's asynchronous interface run in the calling thread.

zarr's synchronous interface hands each chunk to an event loop of its own and the codecs to a pool
of threads. Our tasks are threads already, one for each core: there the hand-over buys nothing, and
memory freed in many threads stays with each of them. Here every thread has a loop whose executor
runs what it is given at once (the image job's peak: 356 MiB by the synchronous interface, 286 so).
Stores that do their input and output asynchronously keep zarr's own loop.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from dask_tapestry.imports import asyncio, lazy_import
from dask_tapestry.io.stores.zarr_location import zarr

_local = threading.local()


class InlineExecutor(ThreadPoolExecutor):
    """Runs each call where it is submitted; no thread is ever started."""

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            result = function(*args, **kwargs)
        except BaseException as error:
            future.set_exception(error)
        else:
            future.set_result(result)
        return future


class OwnLoop:
    """An event loop that is closed with the thread it belongs to, or when the process ends."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.loop.set_default_executor(InlineExecutor(max_workers=1))
        weakref.finalize(self, _close, self.loop)


def _close(loop: Any) -> None:
    """Close a loop, unless a thread that outlives the process' end runs it."""
    if not loop.is_running():
        loop.close()


def run_inline(work: Coroutine[Any, Any, Any]) -> Any:
    """Run a coroutine to its end in this thread."""
    own: OwnLoop | None = getattr(_local, "own", None)
    if own is None:
        own = _local.own = OwnLoop()
    return own.loop.run_until_complete(work)


def inside_loop() -> bool:
    """Whether this thread is running an event loop, in which no other can be run."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def is_at_hand(array: Any) -> bool:
    """Whether the store of an array is this machine's own: it need not be waited for."""
    storage = zarr().storage
    return isinstance(array.store, storage.LocalStore | storage.MemoryStore)


def runs_inline(array: Any) -> bool:
    """Whether calls to the store of an array are run in this thread, by no other loop."""
    return is_at_hand(array) and not inside_loop()


def run_store(array: Any, work: Coroutine[Any, Any, Any]) -> Any:
    """Run what a store does asynchronously, in this thread where the store allows."""
    return run_inline(work) if runs_inline(array) else lazy_import("zarr.core.sync").sync(work)
