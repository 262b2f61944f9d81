"""What xarray takes for something else than it is, hidden from the code of xarray that does so.

xarray looks for attributes: what has ``dims`` it takes for one of its own arrays, whose names it
then joins with those of others. Nothing of an array tells that code apart from a user's but who is
asking, which a look at one frame tells in a tenth of a microsecond.
"""

from __future__ import annotations

import sys
from types import FrameType
from typing import Final

HIDDEN: Final[dict[str, tuple[str, ...]]] = {
    # arguments that have `dims` are broadcast by name, a bare array among them, named or not
    "dims": ("xarray.computation.apply_ufunc", "xarray.core.computation"),
    # `dask.persist(variable)` asks for a method that xarray's Variable lacks if there is one
    "expr": ("xarray.namedarray.core",),
}
ASKING_AGAIN: Final = "dask_tapestry.arrays.core.name_suggestions"
OUTER_INDEXING: Final = ("xarray.core.indexing",)


def refuse_hidden(name: str) -> None:
    """Raise AttributeError where code that misunderstands the attribute `name` asks for it.

    Called by the property itself.
    """
    if _asker(2) in HIDDEN[name]:
        raise AttributeError(f"xarray does not see {name!r} of an Array here")


def names_itself_after_it() -> bool:
    """Whether xarray asks for a name for a DataArray, as which any will do.

    Called by the property itself.
    """
    return _asker(2) == "xarray.core.dataarray"


def wants_outer_indexing(depth: int) -> bool:
    """Whether xarray indexes an array, and means the outer product of several lists.

    For a NotImplementedError, which Dask's arrays raise there, it indexes one axis after the other.

    {Parameters} depth: How many frames above the caller of this function it is.
    """
    return _asker(depth + 1) in OUTER_INDEXING


def _asker(depth: int) -> str | None:
    """The module that asks, so many frames above the caller.

    A property that raises AttributeError is asked once more, for what it raised.
    """
    frame: FrameType | None = sys._getframe(depth + 1)
    while frame is not None and frame.f_globals.get("__name__") == ASKING_AGAIN:
        frame = frame.f_back
    return None if frame is None else frame.f_globals.get("__name__")
