"""Chapters whose modules are imported one by one, each when one of its names is asked for.

With all modules of its chapter, and what these stand on, the first mean of a process imports 88
modules of the library; with that of the averages and what it stands on itself, some twenty.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any, Final

from dask_tapestry.arrays.core.docstrings import write_out
from dask_tapestry.arrays.core.name_homes import PUBLIC_HOMES
from dask_tapestry.imports import lazy_import

ARRAYS: Final = "dask_tapestry.arrays."


def late_chapter(name: str) -> None:
    """Let the package `name` be a late chapter: it has the public names of its modules."""
    sys.modules[name].__class__ = _LateChapter


class _LateChapter(ModuleType):
    """A package that imports the module of a public name when that is asked for."""

    def __getattr__(self, name: str) -> Any:
        home = PUBLIC_HOMES.get(name, "")
        if home.rpartition(".")[0] != self.__name__.removeprefix(ARRAYS):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        value = getattr(lazy_import(ARRAYS + home), name)
        vars(self)[name] = value
        return value

    def __setattr__(self, name: str, value: Any) -> None:
        """Bind a name; to a module that was imported, its function of that name."""
        if isinstance(value, ModuleType) and value.__name__ == f"{self.__name__}.{name}":
            write_out(value.__name__)
            value = getattr(value, name) if name in self.__all__ else value
        super().__setattr__(name, value)
