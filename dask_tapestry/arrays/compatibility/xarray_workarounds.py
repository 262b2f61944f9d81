"""Workarounds in xarray, made when it is imported, for what it takes for something else.

xarray looks for attributes: what has ``dims`` it takes for one of its own arrays, whose names it
then joins with those of others. And Dask's arrays raise NotImplementedError at several lists in one
key, which is how xarray learns that it must take one axis after the other.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from functools import wraps
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import Any, Final

from dask_tapestry.arrays.core.array import Array

XARRAY: Final = "xarray"
Function = Callable[..., Any]


def _without_bare_arrays(function: Function) -> Function:
    """Lengths of dimensions of all that has names of them: a bare array has none for xarray."""

    @wraps(function)
    def sizes(variables: Iterable[Any], *args: Any, **kwargs: Any) -> Any:
        return function((x for x in variables if not isinstance(x, Array)), *args, **kwargs)

    return sizes


def _unnamed(function: Function) -> Function:
    """A check of names of dimensions, which a bare array has none of for xarray."""

    @wraps(function)
    def checked(signature: Any, variables: Iterable[Any], name: Any) -> Any:
        return function(signature, [None if isinstance(x, Array) else x for x in variables], name)

    return checked


def _whole_for_groups(function: Function) -> Function:
    """A call by groups, each of which gets bare arrays whole."""

    @wraps(function)
    def by_groups(called: Function, *args: Any) -> Any:
        grouped = [x for x in args if not isinstance(x, Array)]

        def with_arrays(*parts: Any) -> Any:
            rest = iter(parts)
            return called(*[x if isinstance(x, Array) else next(rest) for x in args])

        return function(with_arrays, *grouped)

    return by_groups


def _without_expression(function: Function) -> Function:
    """The expressions of a variable: none, as Dask then asks for a method that a Variable lacks."""

    @wraps(function)
    def expressions(self: Any) -> Any:
        return None if isinstance(self._data, Array) else function(self)

    return expressions


def _axis_by_axis(function: Function) -> Function:
    """Outer indexing of an array by one axis after the other."""

    @wraps(function)
    def indexed(self: Any, indexer: Any) -> Any:
        if not isinstance(self.array, Array):
            return function(self, indexer)
        value = self.array
        for axis, key in reversed(list(enumerate(indexer.tuple))):
            value = value[(slice(None),) * axis + (key,)]
        return value

    return indexed


WRAPPED: Final = (  # functions of xarray, by module
    ("xarray.computation.apply_ufunc", "unified_dim_sizes", _without_bare_arrays),
    ("xarray.computation.apply_ufunc", "_check_core_dims", _unnamed),
    ("xarray.computation.apply_ufunc", "apply_groupby_func", _whole_for_groups),
    ("xarray.core.indexing", "DaskIndexingAdapter._oindex_get", _axis_by_axis),
    ("xarray.namedarray.core", "NamedArray.__dask_exprs__", _without_expression),
)


def mend() -> None:
    """Replace the functions of xarray that misunderstand an Array; once, however often called."""
    for home, name, wrap in WRAPPED:
        *owners, last = name.split(".")
        owner: Any = sys.modules.get(home)
        for one in owners:
            owner = getattr(owner, one, None)
        function = getattr(owner, last, None)  # it is xarray's own, and may move
        if function is not None and not hasattr(function, "mended"):
            mended: Any = wrap(function)
            mended.mended = True
            setattr(owner, last, mended)


class _WhenImported(MetaPathFinder):
    """Mends xarray after it is imported, and is in nobody's way then."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Return how xarray is found, and mended when its modules have run."""
        if name != XARRAY:
            return None
        sys.meta_path.remove(self)
        spec = find_spec(name)
        if spec is None or spec.loader is None:
            sys.meta_path.insert(0, self)
            return None
        run = spec.loader.exec_module

        def run_and_mend(module: ModuleType) -> None:
            run(module)
            mend()

        spec.loader.exec_module = run_and_mend  # type: ignore[method-assign]
        return spec


def mend_when_imported() -> None:
    """Mend xarray now, or when it is imported."""
    if XARRAY in sys.modules:
        mend()
    elif not any(isinstance(one, _WhenImported) for one in sys.meta_path):
        sys.meta_path.insert(0, _WhenImported())
