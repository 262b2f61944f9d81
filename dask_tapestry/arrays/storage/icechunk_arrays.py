"""Arrays written to Icechunk: by forks of a session, in one commit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, product
from math import prod
from typing import Any
from uuid import uuid4

from dask import base
from dask.delayed import Delayed, delayed
from numpy.typing import ArrayLike, DTypeLike

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.declared_arguments import checked
from dask_tapestry.arrays.core.effect import check_options
from dask_tapestry.arrays.tuning import TASK_BYTES
from dask_tapestry.errors import ArgumentTypeError, StoreError
from dask_tapestry.imports import unpickle
from dask_tapestry.io.sinks.zarr_create import create, dry_run_create
from dask_tapestry.io.sinks.zarr_layout import ZarrLayout
from dask_tapestry.io.stores.component_path import checked_component
from dask_tapestry.io.stores.icechunk_store import committed, forked, merged, packed, write_block
from dask_tapestry.io.stores.zarr_location import Location
from dask_tapestry.io.stores.zarr_open import holds_array
from dask_tapestry.io.tuning import FORKS_A_MERGE
from dask_tapestry.planner.graph_digest import digest
from dask_tapestry.planner.machine.resources import current
from dask_tapestry.teg import Graph

__all__ = ["to_icechunk"]


Sides = tuple[int, ...]


@checked
def to_icechunk(
    x: ArrayLike | Mapping[str, ArrayLike],
    session: Any,
    component: str | None = None,
    *,
    chunks: str | int | Sequence[int] = "auto",
    shards: Sequence[int] | None = None,
    dtype: DTypeLike | None = None,
    compressors: Any = "auto",
    overwrite: bool = False,
    commit: str | None = None,
    **kwargs: Any,
) -> str | None:
    """Write arrays to an Icechunk repository, in one transaction.

    Tasks write whole stored chunks by forks of the session, which are merged up a tree into the
    session. Nothing shows before the commit: a job that is killed, or fails, leaves branch and
    session as they were.

    {Parameters}
        x: An array, or a dictionary of several from their paths.
        session: Of ``repo.writable_session(branch)``, without changes that are not committed.
        component: Path of the one array in the repository.
        chunks, shards, dtype, compressors: As of `to_zarr`.
        overwrite: Replace what is there.
        commit: Message of the commit, whose metadata have, under ``"dask_tapestry"``, the digest of
            what was computed and the paths. None leaves the changes to ``session.commit``.
        **kwargs: For `compute`, such as ``scheduler``.
    {Returns} str or None: Name of the snapshot, if it was committed.
    {Raises}
        StoreError: If something is there and `overwrite` is false, the session may not be written
            by or has changes, or another commit was made to the branch since it began.
        ShapeError: If chunks or shards do not fit.

    See Also
    --------
    from_zarr, to_zarr

    Source: https://icechunk.io/en/stable/parallel/ (forks of sessions).

    Examples
    --------
    >>> import icechunk, tempfile, dask_tapestry as dt
    >>> folder = tempfile.TemporaryDirectory()
    >>> repo = icechunk.Repository.create(icechunk.local_filesystem_storage(folder.name))
    >>> session = repo.writable_session("main")
    >>> snapshot = dt.to_icechunk({"x": dt.ones((4, 2))}, session, commit="ones")
    >>> float(dt.from_zarr(repo.readonly_session("main").store, "x").sum())
    8.0
    >>> folder.cleanup()
    """
    check_options(to_icechunk, kwargs)
    arrays = {path: asarray(one, dtype) for path, one in _named(x, component).items()}
    layout = ZarrLayout(chunks, shards, compressors, 3)
    fork = forked(session)
    cut = {
        path: array.rechunk(_task_sides(array, _created(fork, path, array, layout, overwrite)))
        for path, array in arrays.items()
    }
    start = packed(fork)  # with the arrays, and no chunk
    (found,) = base.compute(_tree(_writes(start, cut), start), **kwargs)
    session.merge(unpickle(found))
    named = digest(Graph(tuple([array.node for array in arrays.values()])))
    if commit is None:
        return None
    return committed(session, commit, {"plan": named, "paths": sorted(arrays)})


def _named(x: ArrayLike | Mapping[str, ArrayLike], component: str | None) -> dict[str, ArrayLike]:
    """Arrays by their paths in the repository."""
    if isinstance(x, Mapping):
        if component is not None or not x:
            raise ArgumentTypeError("give an array and a component, or a dictionary of arrays")
        return {checked_component(path, "the repository"): one for path, one in x.items()}
    return {checked_component(component or "", "the repository"): x}


def _created(fork: Any, path: str, x: Array, layout: ZarrLayout, overwrite: bool) -> Sides:
    """Create an array in a fork; return the sides of what is written as a whole."""
    location = Location(fork.store, path, uuid4().hex)
    options = layout.options(x.node, location, None, current().task_bytes)
    dry_run_create(x.node.type, location, **options)
    if not overwrite and holds_array(location):
        raise StoreError(
            f"{path or 'an array'} exists in {location}: give overwrite=True to replace it"
        )
    create(location, overwrite, shape=x.shape, dtype=x.dtype, **options)
    return tuple(options["shards"] or options["chunks"])


def _task_sides(x: Array, stored: Sides) -> Sides:
    """Sides of what one task writes: several stored chunks, if they are small.

    {Examples}
    >>> _task_sides(dt.ones((4000, 2000)), (10, 1000))
    (1280, 2000)
    """
    sides = list(stored)
    for axis in reversed(range(x.ndim)):
        while sides[axis] < x.shape[axis] and 2 * prod(sides) * x.dtype.itemsize <= TASK_BYTES:
            sides[axis] *= 2
    return tuple(
        min(n, -(-max(1, m) // s) * s) for n, m, s in zip(sides, x.shape, stored, strict=True)
    )


def _writes(start: bytes, arrays: Mapping[str, Array]) -> list[Delayed]:
    """A task for each block of each array, which returns its own fork."""
    fork = delayed(start, pure=False)
    write = delayed(write_block, pure=False)
    writes = []
    for path, x in arrays.items():
        if not x.size:
            continue
        ends = [[0, *accumulate(lengths)] for lengths in x.chunks]
        blocks = x.to_delayed()
        for at in product(*[range(len(lengths)) for lengths in x.chunks]):
            region = [(edges[i], edges[i + 1]) for edges, i in zip(ends, at, strict=True)]
            writes.append(write(fork, path, region, blocks[at]))
    return writes


def _tree(forks: list[Delayed], start: bytes) -> Delayed:
    """One fork with the changes of all forks, which are merged a few at a time."""
    join = delayed(merged, pure=False)
    found = forks or [delayed(start, pure=False)]
    while len(found) > 1:
        found = [join(*few) for few in _shortened_list(found)]
    return found[0]


def _shortened_list(found: list[Delayed]) -> Iterator[list[Delayed]]:
    return (found[at : at + FORKS_A_MERGE] for at in range(0, len(found), FORKS_A_MERGE))
