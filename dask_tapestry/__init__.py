"""Distributed arrays that nobody has to chunk by hand.

``import dask_tapestry as dt`` and write NumPy; see the README. The names are those of
`dask_tapestry.arrays.surface`, imported when the first of them is asked for: a worker, which runs
kernels on blocks, asks for none, and so begins without what only a user calls.
"""

from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from dask_tapestry.imports import lazy_import as _lazy_import

if _TYPE_CHECKING:
    from dask_tapestry.arrays.surface import *

__version__ = "0.1.0"
__array_api_version__ = "2025.12"

_OPTIONAL = ("xarray",)  # modules of packages that need not be there, imported by themselves


def __getattr__(name: str) -> _Any:
    """Take every public name from the surface, or import a module of an optional package."""
    if name in _OPTIONAL:
        return _lazy_import(f"dask_tapestry.arrays.{name}")
    surface = _lazy_import("dask_tapestry.arrays.surface")
    names = {public: getattr(surface, public) for public in surface.__all__}
    globals().update(names, __all__=surface.__all__)
    if name in globals():
        return globals()[name]
    raise AttributeError(f"module 'dask_tapestry' has no attribute {name!r}")


def __dir__() -> list[str]:
    """Names of the interface, without the modules that hold them."""
    surface = _lazy_import("dask_tapestry.arrays.surface")
    return sorted([*surface.__all__, *_OPTIONAL])
