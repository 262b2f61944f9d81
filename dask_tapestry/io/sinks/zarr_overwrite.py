"""``to_zarr(overwrite=True)``: the old array stays readable until the new one is complete."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from dask_tapestry.errors import StoreError
from dask_tapestry.io.files.folder_swap import partial_path, remove_abandoned, swap_in
from dask_tapestry.io.files.process_name import has_ended, this_process
from dask_tapestry.io.journals.read_back import ReadBackSource
from dask_tapestry.io.journals.write_record import BEGIN
from dask_tapestry.io.journals.zarr_journal import maker_of
from dask_tapestry.io.sinks.write_order import sources_of
from dask_tapestry.io.sources.stores_behind_objects import sources_behind
from dask_tapestry.io.sources.zarr_source import ZarrSource, locations_of
from dask_tapestry.io.stores.stored_objects import FolderObjects
from dask_tapestry.io.stores.zarr_location import Location
from dask_tapestry.operators.layouts.placement import hold
from dask_tapestry.teg import Node, Sink, Source, Tensor, apply, sequence_point
from dask_tapestry.teg.node import reapply, topological


class Replacement(NamedTuple):
    """How a value is written to a place where an array may be.

    Attributes
    ----------
    location
        Where it is written.
    x, after
        The value, and what the write follows.
    replaced
        What it takes the place of when it is complete, and the folder of that.
    reads_itself
        Whether the value reads what it replaces; computed again, it would read its own result.
    """

    location: Location
    x: Tensor
    after: Sequence[Node]
    replaced: tuple[Location, str] | None = None
    reads_itself: bool = False


def replacing(
    location: Location, x: Tensor, after: Sequence[Node], earlier: Sequence[Node] = ()
) -> Replacement:
    """Return how `x` is written to `location`; what is there can be read until all is written.

    A folder is written beside the one it takes the place of. Elsewhere there is no such exchange: a
    value that reads what is there is computed first, where all memory is that of this process.
    Sinks `earlier`, which write to the same place, come before this write and before what reads it.

    Raises
    ------
    StoreError
        If neither can be done.
    """
    if earlier:
        after = [*after, sequence_point(*earlier)]
        x = _read_after(x, location, after)
    found_sources = sources_of(x)
    reads = [read for source in found_sources.sources for read in locations_of(source)]
    itself = any(map(location.holds, reads))
    folder = location.replaceable
    if folder is not None and (folder.is_dir() or not folder.exists()):
        part = Location(
            str(partial_path(folder, location.nonce[:8])), "", f"{location.nonce} beside"
        )
        return Replacement(part, x, after, (location, str(folder)), itself)
    if not itself and (found_sources.complete or not location.is_in_memory):
        return Replacement(location, x, after)
    if not location.is_in_memory:
        raise StoreError(
            f"the array to write reads {location}, which it would replace: write to "
            "another location"
        )
    first = hold(x)
    return Replacement(location, first, [*after, sequence_point(first)], None, itself)


def is_in_place(part: Location, final: Location, run: str) -> bool:
    """Whether the array that the compute `run` wrote at `part` has taken its place."""
    found = maker_of(final)
    return found is not None and (found.write, found.run) == (part.nonce, run)


def put_in_place(part: Location, final: Location, folder: str, run: str) -> None:
    """Exchange a complete array for what is in its place; what failed writes have left goes."""
    swap_in(Path(part.store), Path(folder), lambda: is_in_place(part, final, run))
    remove_abandoned(Path(folder), _is_abandoned)


_failed: set[Path] = set()  # partial folders of this process's writes that failed


def abandoned(part: Location) -> bool:
    """Note that a compute of this process, which may have begun at `part`, has failed.

    Return whether anything lies there.
    """
    folder = Path(part.store)
    _failed.add(folder)
    return folder.exists()


def _is_abandoned(part: Path) -> bool:
    """Whether nobody writes to a partial folder any more, and it is not complete."""
    objects = FolderObjects(part)
    begun = [objects.read(name) for name in objects.names() if name.startswith(BEGIN)]
    try:
        by = {str(json.loads(text)["by"]) for text in begun if text is not None}
    except (ValueError, KeyError, TypeError):
        return False
    own = {this_process()} if part in _failed else set()
    return bool(by) and all(name in own or has_ended(name) for name in by)


def _read_after(x: Tensor, location: Location, after: Sequence[Node]) -> Tensor:
    """Return `x` made to read what is at a place only after `after` has ended."""
    rebuilt_nodes: dict[Node, Node] = {}
    for node in topological([x]):
        source = node.operator
        rebuilt_nodes[node] = node
        if isinstance(source, Sink) or node.is_sequence_point:
            continue
        if isinstance(source, Source) and _reads(source, location):
            stored = _stored(source, location)
            rebuilt_nodes[node] = apply(stored, after=list(dict.fromkeys([*node.after, *after])))
        else:
            rebuilt_nodes[node] = reapply(node, [rebuilt_nodes[i] for i in node.inputs], node.after)
    return rebuilt_nodes[x]


def _reads(source: Source, location: Location) -> bool:
    found = (place for inner in sources_behind(source).sources for place in locations_of(inner))
    return any(map(location.holds, found))


def _stored(source: Source, location: Location) -> ReadBackSource:
    """Return a source that can wait for writes; tasks of other collections cannot."""
    match source:
        case ReadBackSource():
            return source
        case ZarrSource():
            return ReadBackSource(source)
    raise StoreError(
        f"the array to write reads {location} by {source.name}(), which cannot "
        "follow the other write "
        "to it: read it with from_zarr"
    )
