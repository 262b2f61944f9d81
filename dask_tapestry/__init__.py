"""Distributed arrays that nobody has to chunk by hand.

``import dask_tapestry as dt`` and write NumPy; see the README. The names are those of
`dask_tapestry.arrays.public_names`. The chapter is imported that has the name that is asked for. A
worker, which runs kernels on blocks, asks for none, and so begins without what only a user calls.
"""

import sys as _sys
from collections.abc import Iterable as _Iterable
from types import ModuleType as _ModuleType
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from dask_tapestry.imports import Submodules as _Submodules
from dask_tapestry.imports import lazy_import as _lazy_import

if _TYPE_CHECKING:
    from dask_tapestry.arrays.public_names import *

__version__ = "0.1.0"
__array_api_version__ = "2025.12"

# Namespaces, of which xarray alone needs a package that may not be there.
_SPACES = (
    "fft image lib ma ndimage nn overlap patterns random stablehlo stats stencil strings xarray"
).split()
_DEEPER = ("linalg", "special")  # namespaces within a chapter
_OTHER_NAMES = {"char": "strings"}  # of namespaces
# Dask's modules, of which scripts take names; `chunk` has functions of blocks, which are NumPy's.
_OF_DASK = "core creation einsumfuncs reductions routines slicing ufunc utils wrap".split()
_OF_BLOCKS = ("chunk", "numpy_compat")
_OF_NUMPY = ("exceptions", "testing", "typing")  # modules that scripts take from there


def __getattr__(name: str) -> _Any:
    """Take a public name from where it is, and keep it."""
    globals()[name] = found = _public_name(name)
    return found


def _public_name(name: str) -> _Any:
    name = _OTHER_NAMES.get(name, name)
    if name in _SPACES:
        return _suggesting(_lazy_import(f"dask_tapestry.arrays.{name}"), name)
    if name in _OF_DASK:
        return _lazy_import("dask_tapestry.arrays.compatibility.dask_modules").DaskModule(name)
    if name in _OF_BLOCKS:
        return _lazy_import(f"dask.array.{name}")
    if name in _OF_NUMPY:
        return _lazy_import(f"numpy.{name}")
    if name == "__all__":
        return _lazy_import("dask_tapestry.arrays.public_names").__all__
    home = _lazy_import("dask_tapestry.arrays.core.name_homes").PUBLIC_HOMES.get(name)
    if home is not None:
        found = getattr(_lazy_import(f"dask_tapestry.arrays.{home}"), name)
        return _suggesting(found, name) if isinstance(found, _ModuleType) else _hinted(name, found)
    raise _no_attribute("module 'dask_tapestry'", name, __dir__())


def _hinted(name: str, value: _Any) -> _Any:
    """A public value, which takes Dask's hints if it is a function that Dask gives some."""
    return _lazy_import("dask_tapestry.arrays.compatibility.ignored_hints").with_hints(name, value)


def _suggesting(space: _ModuleType, name: str) -> _ModuleType:
    """A namespace, which answers names that it has not by those that look like them."""
    if "__getattr__" not in vars(space):
        vars(space)["__getattr__"] = _lazy_import(
            "dask_tapestry.arrays.core.late_names"
        ).late_names(name, space.__all__)
    for known in set(space.__all__) & set(vars(space)):
        setattr(space, known, _hinted(f"{name}.{known}", vars(space)[known]))
    return space


def _no_attribute(what: str, name: str, names: _Iterable[str]) -> AttributeError:
    text = f"{what} has no attribute {name!r}"
    if name.startswith("_"):  # which interpreters and libraries ask for
        return AttributeError(text)
    hints = _lazy_import("dask_tapestry.arrays.core.names_of_numpy")
    return AttributeError(text + hints.hint_of_name("", name, names))


def __dir__() -> list[str]:
    """Names of the interface, without the modules that hold them."""
    return sorted([*__getattr__("__all__"), "xarray"])


_sys.meta_path.append(
    _Submodules(
        __name__,
        {*_SPACES, *_DEEPER, *_OTHER_NAMES, *_OF_DASK, *_OF_BLOCKS, *_OF_NUMPY},
        lambda name: getattr(_sys.modules[__name__], name),
    )
)
