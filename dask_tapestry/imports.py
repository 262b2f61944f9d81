"""Imports and unpickling that happen on first use, one thread at a time.

A worker may unpickle what refers to zarr in one thread while a task imports zarr in another. Python
lets each wait for the other's modules only so far, and then shows them half made. Both go through
one lock here.
"""

from __future__ import annotations

import gc
import pickle
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from threading import RLock
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import asyncio as asyncio

_lock: Final = RLock()


def lazy_import(name: str) -> ModuleType:
    """Return the module `name`, imported now if it is not yet.

    Examples
    --------
    >>> lazy_import("json").dumps([1])
    '[1]'
    """
    with _lock, without_garbage_collection():
        return import_module(name)


@contextmanager
def without_garbage_collection() -> Iterator[None]:
    """Inside, nothing looks for garbage, of which imports make none.

    They make many objects that stay, and the collector would go through all of them again and
    again: a thirtieth of the processor time of a first compute, medians of 15 fresh processes.

    Examples
    --------
    >>> with without_garbage_collection():
    ...     gc.isenabled()
    False
    >>> gc.isenabled()
    True
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


class LateModule:
    """A module that is imported when one of its names is asked for.

    Examples
    --------
    >>> json = LateModule("json")
    >>> json.dumps([1])
    '[1]'
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._module: ModuleType | None = None

    def __getattr__(self, name: str) -> Any:
        if self._module is None:
            self._module = lazy_import(self._name)
        return getattr(self._module, name)


def unpickle(payload: bytes) -> Any:
    """Unpickle, with the imports that takes.

    Examples
    --------
    >>> unpickle(pickle.dumps((1, "a")))
    (1, 'a')
    """
    with _lock:
        return pickle.loads(payload)


if not TYPE_CHECKING:
    asyncio = LateModule("asyncio")  # 29 modules, and `ssl`, for clusters and remote stores alone
