"""Find the stored arrays behind a source: what its objects, closures and tasks hold.

A `dask.array` that reads a Zarr array, or xarray's lazy wrapper of one, hands cells over without
saying where they are stored. Before a place is written to, the objects are searched for it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from functools import partial
from types import CellType, FunctionType, MethodType, ModuleType
from typing import Any, Final, NamedTuple
from uuid import uuid4

import numpy as np

from dask_tapestry.errors import TapestryError
from dask_tapestry.io.sources.coerce import as_tensor, is_zarr_array
from dask_tapestry.io.sources.hdf5_source import is_dataset, source_of_dataset
from dask_tapestry.io.sources.zarr_source import source_of_array
from dask_tapestry.io.stores.zarr_location import Location
from dask_tapestry.io.tuning import MOST_SEARCHED_OBJECTS
from dask_tapestry.teg import Source

LEAVES: Final = (str, bytes, int, float, complex, type(None), type, ModuleType, np.dtype)
CLOSED: Final = (  # modules whose objects hold everything and nothing
    "asyncio.",
    "distributed.",
    "fsspec.",
    "h5py.",
    "logging.",
    "numpy.",
    "threading.",
    "tornado.",
    "zarr.",
)


class FoundSources(NamedTuple):
    """Sources that are read, and whether the search was complete: some objects hold too much."""

    sources: tuple[Source, ...]
    complete: bool


def sources_behind(source: Source) -> FoundSources:
    """Return a source, and a source for each array that it reads through, as far as can be seen.

    Examples
    --------
    >>> import numpy as np, dask.array as da, dask_tapestry as dt
    >>> seen = sources_behind(dt.from_array(da.from_array(np.arange(3))).node.operator)
    >>> sorted({found.name for found in seen.sources}), seen.complete
    (['blocks', 'memory'], True)
    """
    sources: list[Source] = []
    visited_ids: set[int] = set()
    kept_alive: list[object] = []  # objects made on the way: their ids must not be given again
    waiting: deque[object] = deque([source])
    while waiting and len(visited_ids) < MOST_SEARCHED_OBJECTS:
        item = waiting.popleft()
        if id(item) in visited_ids or isinstance(item, LEAVES):
            continue
        visited_ids.add(id(item))
        kept_alive.append(item)
        if isinstance(item, Source):
            sources.append(item)
        found = _source_of(item)
        if found is not None:
            sources.append(found)
        else:
            waiting.extend(_held_by(item))
    return FoundSources(tuple(sources), not waiting)


def _source_of(item: object) -> Source | None:
    """Return the source that reads an array; None if the object cannot be read as one."""
    try:
        if is_zarr_array(item):
            return source_of_array(item, Location.of(item, None, uuid4().hex))
        if is_dataset(item) and bool(item):  # one whose file is closed is neither true nor known
            return source_of_dataset(item, None)
        if not isinstance(item, np.ndarray):
            return None
        source = as_tensor(item).operator
    except TapestryError:
        return None
    return source if isinstance(source, Source) else None


def _held_by(item: object) -> Iterator[Any]:
    """The objects that one holds."""
    if isinstance(item, dict):
        yield from item.values()
    elif isinstance(item, list | tuple | set | frozenset):
        yield from item
    elif isinstance(item, partial):
        yield from (item.func, item.args, item.keywords)
    elif isinstance(item, MethodType):
        yield from (item.__self__, item.__func__)
    elif isinstance(item, FunctionType):
        yield from (cell.cell_contents for cell in item.__closure__ or () if _is_set(cell))
    elif not f"{type(item).__module__}.".startswith(CLOSED):
        yield from vars(item).values() if hasattr(item, "__dict__") else ()
        for name in _slots(type(item)):
            if (value := getattr(item, name, None)) is not None:
                yield value


def _is_set(cell: CellType) -> bool:
    try:
        return cell.cell_contents is not None
    except ValueError:
        return False


def _slots(kind: type) -> Iterator[str]:
    for base in kind.__mro__:
        names = vars(base).get("__slots__", ())
        yield from (names,) if isinstance(names, str) else names
