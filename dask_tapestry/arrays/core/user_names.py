"""Names that users give: of dimensions, and of workers."""

from __future__ import annotations

from collections.abc import Sequence

from dask_tapestry.amounts import listed
from dask_tapestry.errors import ArgumentTypeError, ShapeError
from dask_tapestry.teg.types import Dims


def worker_names(workers: str | Sequence[str]) -> tuple[str, ...]:
    """Names of workers, given as one or several."""
    return (workers,) if isinstance(workers, str) else listed(workers, "names of workers")


def names_of(dims: Sequence[str | None] | None, ndim: int | None = None) -> Dims:
    """Names of `ndim` dimensions, if that is known, as a tuple: each a text, or None.

    Examples
    --------
    >>> names_of(["time", None])
    ('time', None)
    """
    if dims is None:
        return None
    names = listed(dims, "names")
    if isinstance(dims, str) or not all(isinstance(name, str | None) for name in names):
        raise ArgumentTypeError(
            f"names of dimensions are texts or None, in a sequence, not {dims!r}"
        )
    if ndim is not None and len(names) != ndim:
        raise ShapeError(f"{len(names)} dimension names {names} for {ndim} dimensions")
    return names
