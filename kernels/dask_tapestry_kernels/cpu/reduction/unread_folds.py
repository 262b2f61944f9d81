"""Folds of cells that are not read yet: as many leaves at a time as a core's cache holds.

The states of leaves are those of the whole, whatever is read at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cpu.reduction.any_order import may_take_any_order
from dask_tapestry_kernels.cpu.reduction.file_folds import file_states
from dask_tapestry_kernels.cpu.reduction.gathered_leaves import gathered_states
from dask_tapestry_kernels.cpu.reduction.lattice_nodes import Leaves
from dask_tapestry_kernels.cpu.reduction.leaf_pieces import leaf_grid, leaf_pieces
from dask_tapestry_kernels.fold_part import FoldPart, tells_places
from dask_tapestry_kernels.stopping import stop_if_asked
from dask_tapestry_kernels.unread_cells import in_memory, is_unread, part_of

Block = np.ndarray[Any, Any]
Cut = tuple[slice, ...]

PIECE_BYTES: Final = 2**22  # of leaves that are read and folded at a time
RUN_BYTES: Final = 2**16  # of cells side by side that are read by a call: shorter ones cost more


def read_if_folded_whole(blocks: Sequence[Any], parts: Sequence[FoldPart]) -> Sequence[Any]:
    """Blocks whose reduced axes come first, read unless they are to be read piece by piece.

    They are read where all of a node's cells are looked at together, and where a piece would be
    nearly the whole, or more than a cache holds: parts of 16 MiB took longer than chunks of 32 MB.
    """
    if not any(map(is_unread, blocks)):
        return blocks
    part = parts[0]
    whole = part.source is not None or any(p.tree.selected or tells_places(p) for p in parts)
    if whole or (len(parts) == 1 and may_take_any_order(blocks, part)) or not _gains(blocks, part):
        return list(map(in_memory, blocks))
    return blocks


def _gains(blocks: Sequence[Any], part: FoldPart) -> bool:
    """Whether pieces of a node take at most half of its bytes, and hardly more than they should."""
    rank, shape = len(part.axes), blocks[0].shape
    sides = shape[:rank] if part.tree.lattice is None else part.tree.sides(0)
    cell = (*map(min, sides, shape[:rank]), *shape[rank:])
    inner = part.tree if part.tree.lattice is None else part.tree.inner(cell[:rank])
    first = next(_pieces(blocks, cell, inner.sides(0)), None)
    cells = 0 if first is None else prod([cut.stop - cut.start for cut in first[1]])
    return 0 < 2 * cells <= prod(cell) and cells * _itemsize(blocks) <= 2 * PIECE_BYTES


def leaves_by_pieces(
    blocks: Sequence[Any], parts: Sequence[FoldPart], leaves: Leaves
) -> list[Block]:
    """States of the leaves, for each part, of blocks some of which are not read yet."""
    if len(blocks) == len(parts) == 1 and is_unread(blocks[0]):
        for way in (gathered_states, file_states):
            states = way(blocks[0], parts[0])
            if states is not None:
                return [states]
    return states_by_pieces(blocks, parts, leaves)


def states_by_pieces(
    blocks: Sequence[Any], parts: Sequence[FoldPart], leaves: Leaves
) -> list[Block]:
    """States of the leaves, for each part, of pieces of blocks that are read and folded in turn."""
    rank, shape, sides = len(parts[0].axes), blocks[0].shape, parts[0].tree.sides(0)
    grid = leaf_grid(shape[:rank], sides)
    nodes = [np.empty((*grid, *shape[rank:]), part.state) for part in parts]
    for places, cells in _pieces(blocks, shape, sides):
        stop_if_asked()
        starts = [cut.start for cut in cells[:rank]]
        origin = tuple([o + start for o, start in zip(parts[0].origin, starts, strict=True)])
        own = [part._replace(origin=origin) for part in parts]
        each = leaves([in_memory(part_of(block, cells)) for block in blocks], own)
        for whole, found in zip(nodes, each, strict=True):
            whole[places] = found
    return nodes


def _pieces(
    blocks: Sequence[Any], shape: Sequence[int], sides: Sequence[int]
) -> Iterator[tuple[Cut, Cut]]:
    """Leaves and cells of the pieces that are read at a time, of `shape`."""
    unread = [block for block in blocks if is_unread(block)]
    if not unread:
        return leaf_pieces(shape, sides, sum([b.itemsize for b in blocks]), PIECE_BYTES)
    return leaf_pieces(shape, sides, _itemsize(blocks), PIECE_BYTES, unread[0].strides, RUN_BYTES)


def _itemsize(blocks: Sequence[Any]) -> int:
    """Bytes that are read for a cell."""
    return sum([block.itemsize for block in blocks if is_unread(block)])
