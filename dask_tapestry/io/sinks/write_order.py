"""Several writes at once: in which order they go, so that none spoils what another reads or writes.

Two that meet without an order are refused in `teg.check`.

- Writes that meet in a stored chunk, or in a cell, run one after the other.
- A value that reads what is going to be written is computed before the first write to it, unless
  it is written cell by cell to where it was read.
- Where several writes go to one target, it says before the first that all of them are to come.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from dask_tapestry.cells.fixed_dtype import cell_dtype
from dask_tapestry.errors import DTypeError, StoreError
from dask_tapestry.io.journals.read_back import read_back
from dask_tapestry.io.sinks.region_sink import Announcement, RegionSink
from dask_tapestry.io.sources.stores_behind_objects import FoundSources, sources_behind
from dask_tapestry.io.targets.target import Target
from dask_tapestry.io.targets.write_region import WriteRegion
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.cells.elementwise import astype
from dask_tapestry.operators.generators.full import full
from dask_tapestry.operators.layouts.placement import hold
from dask_tapestry.teg import Node, Source, Tensor, apply, sequence_point
from dask_tapestry.teg.node import topological


@dataclass(frozen=True)
class OrderedWrite:
    """A tensor, and the region of a target that it is written to."""

    x: Tensor
    target: Target
    region: WriteRegion


def checked_write(x: Tensor, target: Target, region: Sequence[slice]) -> OrderedWrite:
    """Return the write of `x` to a region of `target`, cast as for ``out=`` in NumPy.

    Raises
    ------
    StoreError
        If the shapes differ.
    DTypeError
        If the cells would lose their kind, as from floating point to integers.
    """
    into = WriteRegion.of(region, target.shape, target.sides)
    if into.shape != x.type.shape:
        where = "" if into.shape == target.shape else f" region {into} of"
        raise StoreError(
            f"shape {x.type.shape} does not fit{where} {target} of shape {target.shape}"
        )
    if not np.can_cast(x.type.dtype, target.dtype, "same_kind"):
        raise DTypeError(
            f"cannot write cells of {x.type.dtype} to {target}, which has {target.dtype}: convert "
            "them with astype"
        )
    native = cell_dtype(target.dtype)
    return OrderedWrite(x if x.type.dtype == native else astype(x, native), target, into)


def ordered_sinks(
    writes: Sequence[OrderedWrite], after: Sequence[Node] = (), workers: tuple[str, ...] = ()
) -> list[Node]:
    """Return the sinks of several writes, with the order they need."""
    writes, first = _after_reads(list(writes), after)
    sinks: list[Node] = []
    for number, write in enumerate(writes):
        earlier = [
            sequence_point(sink)
            for sink, other in zip(sinks, writes[:number], strict=True)
            if write.target.meets(write.region, other.target, other.region)
        ]
        sink = RegionSink(write.target, write.region, write.x.type.dims, workers)
        sinks.append(apply(sink, write.x, after=[*first[write.target], *earlier]))
    return sinks


def _after_reads(
    writes: list[OrderedWrite], after: Sequence[Node]
) -> tuple[list[OrderedWrite], dict[Target, list[Node]]]:
    """Return the writes, values computed first where needed, and what each target waits for."""
    regions: dict[Target, list[WriteRegion]] = {}
    for write in writes:
        regions.setdefault(write.target, []).append(write.region)
    reads = [sources_of(write.x) for write in writes]
    waits: dict[Target, list[Node]] = {}
    for target in regions:
        readers = [i for i, found in enumerate(reads) if may_be_read(target, found)]
        if len(readers) == 1 and _is_in_place(writes[readers[0]], target, regions):
            readers = []
        for i in readers:
            writes[i] = replace(writes[i], x=hold(writes[i].x))
        read = [sequence_point(*[writes[i].x for i in readers])] if readers else []
        waits[target] = [*after, *read]
    return writes, {
        target: [_announced(target, regions[target], waits[target])]
        if len(regions[target]) > 1
        else waits[target]
        for target in regions
    }


def sources_of(x: Tensor) -> FoundSources:
    """Return the sources that a value reads, with those that they read through."""
    read = [n.operator for n in topological([x]) if isinstance(n.operator, Source)]
    found = [sources_behind(source) for source in read]
    sources = tuple(source for seen in found for source in seen.sources)
    return FoundSources(sources, all(seen.complete for seen in found))


def may_be_read(target: Target, found: FoundSources) -> bool:
    """Whether a target may be among what is read."""
    return not found.complete or any(map(target.is_read_by, found.sources))


def _is_in_place(
    write: OrderedWrite, target: Target, regions: dict[Target, list[WriteRegion]]
) -> bool:
    """Whether a write is the only one to the target it reads, and each cell keeps its place."""
    whole = write.region.is_dense and write.region.shape == target.shape
    if write.target != target or len(regions[target]) > 1 or not whole:
        return False
    stack, seen = [write.x], {write.x}
    while stack:
        node = stack.pop()
        if node.operator.is_formula:
            stack.extend(i for i in node.inputs if i not in seen)
            seen.update(node.inputs)
            continue
        same = isinstance(node.operator, Source) and target.has_cells_of(node.operator)
        if not same and may_be_read(target, sources_of(node)):
            return False
    return True


def _announced(target: Target, regions: Sequence[WriteRegion], after: Sequence[Node]) -> Node:
    nothing = full((0,), np.uint8(0))
    announcement = Announcement(target, tuple(regions))
    return sequence_point(apply(announcement, nothing, after=after))


def target_tensor(write: OrderedWrite, sink: Node | None) -> Tensor:
    """Return what a target holds: now, or once `sink` has finished."""
    source = write.target.source(write.x.type.dims)
    return apply(source) if sink is None else read_back(source, sink)
