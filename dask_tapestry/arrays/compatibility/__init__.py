"""Compatibility with habits of Dask and xarray alone; nothing else of the library imports it.

`dask_tapestry` asks for its names when nobody else has them, and for functions that take Dask's
hints. Each module is imported when one of its names is.
"""

from typing import TYPE_CHECKING, Any

from dask_tapestry.imports import lazy_import

if TYPE_CHECKING:
    from dask_tapestry.arrays.compatibility.blockwise_reshape import *
    from dask_tapestry.arrays.compatibility.chunk_shuffle import *
    from dask_tapestry.arrays.compatibility.common_chunks import *

__all__ = ["reshape_blockwise", "shuffle", "unify_chunks"]

MODULES = {  # which module has a public name, or all others of a namespace
    "reshape_blockwise": "blockwise_reshape",
    "shuffle": "chunk_shuffle",
    "unify_chunks": "common_chunks",
    "fft.fft_wrap": "wrapped_transforms",
    "linalg.sfqr": "dask_factor_names",
    "linalg.tsqr": "dask_factor_names",
    "overlap.overlap": "overlapped_blocks",
    "overlap.trim_internal": "overlapped_blocks",
    "overlap.trim_overlap": "overlapped_blocks",
    "overlap": "boundary_padding",
    "random": "random_state",
}


def public_value(name: str) -> Any:
    """The value of a public name that only this folder has, such as ``"fft.fft_wrap"``.

    Raises
    ------
    AttributeError
        If there is none.
    """
    space, _, short = name.rpartition(".")
    home = MODULES.get(name) or MODULES.get(space)
    module = None if home is None else lazy_import(f"{__name__}.{home}")
    if short not in getattr(module, "__all__", ()):
        raise AttributeError(name)
    return getattr(module, short)


def __getattr__(name: str) -> Any:
    if name in __all__:
        return public_value(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
