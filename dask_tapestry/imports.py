"""Imports and unpickling that happen on first use, one thread at a time.

A worker may unpickle what refers to zarr in one thread while a task imports zarr in another. Python
lets each wait for the other's modules only so far, and then shows them half made. Both go through
one lock here.
"""

from __future__ import annotations

import pickle
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
    with _lock:
        return import_module(name)


class LateModule:
    """A module that is imported when one of its names is asked for.

    Of those that are declared so a first compute needs none. To import them all would take another
    .08 s of a processor, and .4 s with the chapters of `arrays.methods`.

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
