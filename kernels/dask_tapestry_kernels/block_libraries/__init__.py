"""Libraries in whose arrays blocks of the host may be held: a module each, of the library's name.

A library takes part by its module being here; nothing else names it. The module has a `LIBRARY`,
and is imported when the first array of the library is met.
"""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from pkgutil import iter_modules

from dask_tapestry_kernels.block_library import BlockLibrary


@lru_cache(maxsize=256)
def library_named(name: str) -> BlockLibrary | None:
    """What is known of a library; None of one in whose arrays no block is held.

    Examples
    --------
    >>> library_named("numpy") is None
    True
    """
    if name not in names():
        return None
    library: BlockLibrary = import_module(f"{__name__}.{name}").LIBRARY
    return library


def names() -> list[str]:
    """Names of the libraries."""
    return [module.name for module in iter_modules(__path__)]
