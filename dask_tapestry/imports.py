"""Imports and unpickling that happen on first use, one thread at a time; modules elsewhere.

A worker may unpickle what refers to zarr in one thread while a task imports zarr in another. Python
lets each wait for the other's modules only so far, and then shows them half made. Both go through
one lock here.
"""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable, Collection
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
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


class Submodules(MetaPathFinder, Loader):
    """Modules that are imported as if they lay in a package: ``import package.name``.

    They lie elsewhere, or nowhere; the package has them as attributes. Python asks this last.

    Parameters
    ----------
    package
        Name of the package.
    names
        Names of the modules.
    module
        Returns the module of a name.

    Examples
    --------
    >>> import json
    >>> finder = Submodules("dask_tapestry", ["texts"], lambda name: json)
    >>> finder.find_spec("dask_tapestry.texts").name, finder.find_spec("dask_tapestry.numbers")
    ('dask_tapestry.texts', None)
    """

    def __init__(
        self, package: str, names: Collection[str], module: Callable[[str], ModuleType]
    ) -> None:
        self._package, self._names, self._module = package, names, module

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Say that a module is here, if it is one of them."""
        package, _, short = name.rpartition(".")
        return ModuleSpec(name, self) if package == self._package and short in self._names else None

    def exec_module(self, module: ModuleType) -> None:
        """Put the module that there is in the place of the new one."""
        sys.modules[module.__name__] = self._module(module.__name__.rpartition(".")[2])


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
