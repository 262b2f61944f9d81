"""A persisted array with a part of it replaced: other blocks where that lies, the rest shared."""

from __future__ import annotations

from itertools import product
from typing import Any
from uuid import uuid4

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.key_types import UserKey
from dask_tapestry.errors import ArgumentTypeError
from dask_tapestry.io.sources.dask_blocks_source import BlockSource, from_blocks
from dask_tapestry.operators.joins.insert import inserted_region
from dask_tapestry.operators.layouts.nominal_chunks import with_chunks_kept, without_nominal_chunks
from dask_tapestry.operators.layouts.rechunk import rechunk
from dask_tapestry.operators.views.slice import basic_slice
from dask_tapestry.teg import Node
from dask_tapestry.teg.nominal import nominal_chunks
from dask_tapestry.zspace import Cuts


def overwritten(x: Array, key: UserKey, values: Any, replicas: int = 1) -> Array:
    """The persisted array `x` after ``x[key] = values``, of which `x` itself sees nothing.

    Blocks in which a box of slices and integers lies are computed and persisted; for other keys all
    are. The rest are those of `x`.

    {Raises} TypeError: If `x` is not persisted.
    """
    persisted_node = without_nominal_chunks(x.node)
    blocks = persisted_node.operator
    if not isinstance(blocks, BlockSource):
        raise ArgumentTypeError(f"{x!r} is not persisted: x.persist() keeps its blocks")
    changed = Array(persisted_node)
    changed[key] = values
    if changed.node is persisted_node or not blocks.type.size:
        return x
    touched = _touched(changed.node, persisted_node, blocks.cuts)
    part = _persisted(changed.node, blocks.cuts, touched, replicas)
    name = f"overwritten-{uuid4().hex}"
    graph = {}
    for index in product(*(range(cut.count) for cut in blocks.cuts)):
        graph[name, *index] = blocks.graph[blocks.key_name, *index]
    for index in product(*(range(len(span)) for span in touched)):
        at = tuple(span[i] for span, i in zip(touched, index, strict=True))
        graph[name, *at] = part.graph[part.key_name, *index]
    result = from_blocks(
        name,
        blocks.type,
        blocks.cuts,
        graph,
        uuid4().hex,
        (blocks.held, part.held),
        blocks.stored_cuts,
        blocks.format,
        blocks.canonical,
    )
    return Array(
        result if x.node is persisted_node else with_chunks_kept(result, nominal_chunks(x.node))
    )


def _touched(changed: Node, kept: Node, cuts: tuple[Cuts, ...]) -> tuple[range, ...]:
    """For each axis the blocks in which the changed cells of a value lie."""
    region = inserted_region(changed, kept)
    if region is None:
        return tuple(range(cut.count) for cut in cuts)
    return tuple(
        range(cut.locate(part.start), cut.locate(part.stop - 1) + 1)
        for part, cut in zip(region, cuts, strict=True)
    )


def _persisted(
    changed: Node, cuts: tuple[Cuts, ...], touched: tuple[range, ...], replicas: int
) -> BlockSource:
    """The touched blocks of a changed value, computed and kept as they are cut."""
    box = [
        slice(cut.block(span[0])[0], cut.block(span[-1])[1])
        for cut, span in zip(cuts, touched, strict=True)
    ]
    own = [cut.window(s.start, 1, s.stop - s.start) for cut, s in zip(cuts, box, strict=True)]
    part = rechunk(basic_slice(changed, tuple(box)), tuple(own))
    kept = without_nominal_chunks(Array(part).persist(replicas=replicas).node).operator
    assert isinstance(kept, BlockSource)
    assert kept.cuts == part.operator.layout
    return kept
