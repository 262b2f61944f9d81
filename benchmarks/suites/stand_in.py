"""Modules that stand in for ``dask.array`` in tests written for it: our functions under its names.

``tapestry_as_dask`` and its submodules answer with ours where Dask has a public function of the
name. What only Dask has inside (keys, graphs, helpers of its modules) is Dask's own; a public name
that we lack raises when it is called, so that its tests fail and others of the file run.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, Final

import dask.array as da

import dask_tapestry as dt
from benchmarks.suites.equality import assert_eq

NAME: Final = "tapestry_as_dask"
# Modules whose functions users call by the module's name; all else in Dask's modules is internal.
PUBLIC: Final = (
    *("fft", "image", "lib", "lib.stride_tricks", "linalg", "ma", "overlap", "random", "stats"),
)
# Names by which Dask's tests ask for the state of Dask itself.
OF_DASK: Final = (*("ARRAY_EXPR_ENABLED", "PerformanceWarning", "array_expr_enabled"),)
CHECKS: Final = {"assert_eq": assert_eq}

served: set[str] = set()  # names of ours that were asked for


class Missing:
    """A public function of Dask's that we lack: raises when it is called."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise AttributeError(f"missing: {self.name}")

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith("__"):
            raise AttributeError(attribute)
        return Missing(f"{self.name}.{attribute}")


def found(path: str, name: str) -> Any:
    """What `name` of the module ``dask.array.<path>`` is in the stand-in."""
    if name in CHECKS:
        return CHECKS[name]
    if not path:
        return _of_top(name)
    ours, theirs = _ours(path), getattr(importlib.import_module(f"dask.array.{path}"), name)
    if path not in PUBLIC and theirs is getattr(da, name, None):
        return _of_top(name)
    if ours is not None and not name.startswith("_") and hasattr(ours, name):
        served.add(f"{path}.{name}")
        return getattr(ours, name)
    defined = getattr(theirs, "__module__", "").startswith("dask.array")
    if path in PUBLIC and not name.startswith("_") and defined:
        return Missing(f"{path}.{name}")
    return theirs


def _of_top(name: str) -> Any:
    theirs = getattr(da, name)
    if isinstance(theirs, ModuleType) and theirs.__name__.startswith("dask.array"):
        return importlib.import_module(f"{NAME}.{theirs.__name__.removeprefix('dask.array.')}")
    if name.startswith("_") or name in OF_DASK:
        return theirs
    served.add(name)
    return getattr(dt, name) if hasattr(dt, name) else Missing(name)


def _ours(path: str) -> Any:
    """Our module of the name, or None."""
    at: Any = dt
    for part in path.split("."):
        at = getattr(at, part, None)
    return at if isinstance(at, ModuleType) else None


class _Standing(ModuleType):
    """A module of the stand-in: importing the module ``reshape`` hides no function of the name."""

    def __setattr__(self, name: str, value: Any) -> None:
        if not isinstance(value, _Standing):
            super().__setattr__(name, value)


class _Finder(MetaPathFinder, Loader):
    """Makes the modules of the stand-in as they are imported."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        inside = fullname == NAME or fullname.startswith(f"{NAME}.")
        return ModuleSpec(fullname, self, is_package=True) if inside else None

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return _Standing(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        path = module.__name__.removeprefix(NAME).removeprefix(".")
        importlib.import_module(f"dask.array.{path}" if path else "dask.array")
        module.__getattr__ = _asked(path)  # type: ignore[method-assign]


def _asked(path: str) -> Callable[[str], Any]:
    def asked(name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return found(path, name)

    return asked


def install() -> None:
    """Let ``import tapestry_as_dask`` find the stand-in."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


def translated(source: str) -> str:
    """A test file's text with the stand-in in place of ``dask.array``."""
    text = source.replace("dask.array.tests.", "dask_array_tests.").replace("dask.array", NAME)
    head, found_it, tail = text.partition("from __future__ import annotations\n")
    rest = tail if found_it else text
    return f"{head if found_it else ''}{found_it}import {NAME}\n{rest}"
