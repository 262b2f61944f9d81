"""Writes of threads to arrays that exist: at once, or in turns where threads wait for others."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.effect import Effect, sequence_point
from dask_tapestry.arrays.storage.stores import store
from dask_tapestry.arrays.storage.zarr_arrays import from_zarr
from dask_tapestry.errors import ConstraintError, TraceError
from dask_tapestry.io.journals.read_back import read_back
from dask_tapestry.operators.threads.thread_inserts import (
    InsertPart,
    Scattered,
    ThreadInsert,
    inserted,
    thread_cells,
)
from dask_tapestry.operators.threads.thread_tiles import Tiles
from dask_tapestry.operators.threads.thread_wavefronts import (
    Event,
    ThreadBox,
    of_piece,
    ordered,
    turns_of,
)
from dask_tapestry.operators.threads.thread_write_conflicts import overlapping_parts
from dask_tapestry.operators.threads.threads import replaced
from dask_tapestry.teg import Node, Source, Tensor
from dask_tapestry.teg.node import topological

WriteOf = tuple[Any, ThreadInsert]  # a target, and what threads write to it


def written(
    name: str, writes: Sequence[WriteOf], events: Sequence[Event], reads: Collection[Node]
) -> Effect:
    """A lazy write of what all threads write; what they read of targets is `reads`."""
    threads = writes[0][1].threads
    if not events or 0 in threads.extents:
        return _single_write(writes, None)
    if {write.threads for _, write in writes} | {event.threads for event in events} != {threads}:
        raise TraceError(
            f"{name}: what waits, what signals and what writes is one body: move waits and signals "
            "into the innermost one"
        )
    effect: Effect | None = None
    for turn in turns_of(threads, events):
        for _, write in writes:
            _check_apart(write, turn)
        then = []
        for piece in turn:
            for target, write in writes:
                then.append((target, _of_piece(write, piece, reads, effect, len(turn) > 1)))
        effect = _single_write(then, effect)
    return effect or sequence_point()


def check_events(name: str, events: Sequence[Event]) -> None:
    """Raise if threads wait for each other; where nothing is written, they need not wait."""
    spaces = {one.threads for one in events}
    if len(spaces) > 1:
        raise TraceError(f"{name}: waits and signals are of one body: move them into the innermost")
    for threads in spaces:
        if 0 not in threads.extents:
            ordered(threads, events)


def _check_apart(insert: ThreadInsert, turn: Sequence[ThreadBox]) -> None:
    """Raise if threads of several pieces of a turn write one cell; those of one are looked at."""
    tiles = insert.tiles()
    if insert.last or insert.is_empty or len(turn) == 1 or (tiles is None and not insert.check):
        return
    name = insert.threads.name
    if tiles is None:
        raise ConstraintError(
            f"{name}: threads that begin together and lie in several pieces are not checked for "
            "overlaps: let neighbours wait together, or give on_overlap='last'"
        )
    if tiles.write_separate_cells():
        return
    ids = np.concatenate([_threads_of(piece) for piece in turn])
    starts = [ids @ np.array(s.coefficients) + s.constant for s in tiles.starts]
    overlap = overlapping_parts(starts, insert.into.shape, tiles.sizes, tiles.strides)
    if overlap is not None:
        a, b = (tuple(map(int, ids[n])) for n in overlap)
        raise ConstraintError(
            f"{name}: threads {a} and {b} both write cells of {_overlap(tiles, a, b)} of "
            f"{insert.into}: give on_overlap='last' to let the highest id win"
        )


def _overlap(tiles: Tiles, a: tuple[int, ...], b: tuple[int, ...]) -> str:
    return str(tiles.box(a).intersection(tiles.box(b)))


def _threads_of(piece: ThreadBox) -> Any:
    """The ids of a piece's threads."""
    places = np.indices(piece.counts).reshape(len(piece.counts), -1)
    return np.array(piece.starts) + (np.array(piece.steps) @ places).T


def _of_piece(
    insert: ThreadInsert,
    piece: ThreadBox,
    reads: Collection[Node],
    before: Effect | None,
    several: bool,
) -> ThreadInsert:
    """What the threads of a piece write, who read targets as they are when `before` has ended."""
    tensors = replaced([insert.value, *insert.starts], _as_of(reads, before))
    threads, (value, *starts) = of_piece(insert.threads, piece, tensors)
    return insert._replace(
        threads=threads, value=value, starts=tuple(starts), last=insert.last or several
    )


def _as_of(reads: Collection[Node], before: Effect | None) -> dict[Node, Tensor]:
    if before is None:
        return {}
    now: dict[Node, Tensor] = {}
    for node in topological(list(reads)):
        if isinstance(node.operator, Source):
            now[node] = read_back(node.operator, before.node)
    return now


def _single_write(writes: Sequence[WriteOf], before: Effect | None) -> Effect:
    """A lazy write after `before`."""
    cells = thread_cells([insert for _, insert in writes])
    pairs = [
        (target, written_cells) for (target, _), written_cells in zip(writes, cells, strict=True)
    ]
    scattered = {
        id(target) for target, written_cells in pairs if isinstance(written_cells, Scattered)
    }
    wholes: dict[int, tuple[Tensor, Any]] = {}
    stores: list[tuple[Tensor, Any, Any]] = []
    for target, written_cells in pairs:
        if id(target) in scattered:
            whole, _ = wholes.get(id(target)) or (_whole(target, before), target)
            wholes[id(target)] = inserted(whole, written_cells), target
        elif not isinstance(written_cells, Scattered):
            stores += [(part.cells, target, _slices(part)) for part in written_cells]
    stores += [(node, target, None) for node, target in wholes.values()]
    if not stores:
        return before or sequence_point()
    nodes, targets, regions = zip(*stores, strict=True)
    after = () if before is None else (before,)
    arrays = [Array(node) for node in nodes]
    effect = store(arrays, list(targets), regions=list(regions), compute=False, after=after)
    assert isinstance(effect, Effect)
    return effect


def _slices(part: InsertPart) -> tuple[slice, ...]:
    return tuple(slice(p.start, p.stop, p.step) for p in part.into)


def _whole(target: Any, before: Effect | None) -> Tensor:
    """The cells of a target after the write `before` has finished."""
    whole = asarray(target) if isinstance(target, np.ndarray) else from_zarr(target)
    (node,) = replaced([whole.node], _as_of([whole.node], before))
    return node
