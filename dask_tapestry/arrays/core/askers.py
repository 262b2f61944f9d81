"""What xarray takes for something else than it is, hidden from the code of xarray that does so.

xarray looks for attributes: what has ``dims`` it takes for one of its own arrays, whose names it
then joins with those of others. Nothing of an array tells that code apart from a user's but who is
asking, which a look at one frame tells in a tenth of a microsecond.
"""

from __future__ import annotations

import sys
from typing import Final

HIDDEN: Final[dict[str, tuple[str, ...]]] = {
    # arguments that have `dims` are broadcast by name, a bare array among them, named or not
    "dims": ("xarray.computation.apply_ufunc", "xarray.core.computation"),
    # `dask.persist(variable)` asks for a method that xarray's Variable lacks if there is one
    "expr": ("xarray.namedarray.core",),
}
OUTER_INDEXING: Final = ("xarray.core.indexing",)


def refuse_hidden(name: str) -> None:
    """Raise AttributeError where code that misunderstands the attribute `name` asks for it.

    Called by the property itself.
    """
    if sys._getframe(2).f_globals.get("__name__") in HIDDEN[name]:
        raise AttributeError(f"xarray does not see {name!r} of an Array here")


def names_itself_after_it() -> bool:
    """Whether xarray asks for a name for a DataArray, as which any will do.

    Called by the property itself.
    """
    return sys._getframe(2).f_globals.get("__name__") == "xarray.core.dataarray"


def wants_outer_indexing(depth: int) -> bool:
    """Whether xarray indexes an array, and means the outer product of several lists.

    For a NotImplementedError, which Dask's arrays raise there, it indexes one axis after the other.

    Parameters
    ----------
    depth
        How many frames above the caller of this function it is.
    """
    return sys._getframe(depth + 1).f_globals.get("__name__") in OUTER_INDEXING
