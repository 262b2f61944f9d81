"""Folds of cells that are not read yet: as many leaves at a time as a core's cache holds.

The states of leaves are those of the whole, whatever is read at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import prod
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cpu.reduction.any_order import may_take_any_order
from dask_tapestry_kernels.cpu.reduction.lattice_nodes import Leaves
from dask_tapestry_kernels.fold_part import FoldPart, tells_places
from dask_tapestry_kernels.unread_cells import is_unread, part_of, read

Block = np.ndarray[Any, Any]
Cut = tuple[slice, ...]

PIECE_BYTES: Final = 2**22  # of leaves that are read and folded at a time
RUN_BYTES: Final = 2**16  # of cells side by side that are read by a call: shorter ones cost more


def read_if_folded_whole(blocks: Sequence[Any], parts: Sequence[FoldPart]) -> Sequence[Any]:
    """Blocks whose reduced axes come first, read unless they are to be read piece by piece.

    They are read where all of a node's cells are looked at together, and where a piece would be
    nearly the whole.
    """
    if not any(map(is_unread, blocks)):
        return blocks
    part = parts[0]
    whole = part.source is not None or any(p.tree.selected or tells_places(p) for p in parts)
    if whole or (len(parts) == 1 and may_take_any_order(blocks, part)) or not _gains(blocks, part):
        return list(map(read, blocks))
    return blocks


def _gains(blocks: Sequence[Any], part: FoldPart) -> bool:
    """Whether pieces of a node take at most half of its bytes."""
    rank, shape = len(part.axes), blocks[0].shape
    sides = shape[:rank] if part.tree.lattice is None else part.tree.sides(0)
    cell = (*map(min, sides, shape[:rank]), *shape[rank:])
    inner = part.tree if part.tree.lattice is None else part.tree.inner(cell[:rank])
    cells = next(pieces(blocks, cell, inner.sides(0)), None)
    return cells is not None and 2 * prod([c.stop - c.start for c in cells[1]]) <= prod(cell)


def leaves_by_pieces(
    blocks: Sequence[Any], parts: Sequence[FoldPart], leaves: Leaves
) -> list[Block]:
    """States of the leaves, for each part, of blocks some of which are not read yet."""
    rank, shape, sides = len(parts[0].axes), blocks[0].shape, parts[0].tree.sides(0)
    grid = [-(-n // side) for n, side in zip(shape[:rank], sides, strict=True)]
    nodes = [np.empty((*grid, *shape[rank:]), part.state) for part in parts]
    for places, cells in pieces(blocks, shape, sides):
        starts = [cut.start for cut in cells[:rank]]
        origin = tuple([o + start for o, start in zip(parts[0].origin, starts, strict=True)])
        own = [part._replace(origin=origin) for part in parts]
        states = leaves([read(part_of(block, cells)) for block in blocks], own)
        for whole, found in zip(nodes, states, strict=True):
            whole[places] = found
    return nodes


def pieces(
    blocks: Sequence[Any], shape: Sequence[int], sides: Sequence[int]
) -> Iterator[tuple[Cut, Cut]]:
    """Pieces of whole leaves of about `PIECE_BYTES`: slices of the leaves and of the cells.

    Axes are cut in the order in which what is not read is stored, as long as a piece lies in runs.

    Parameters
    ----------
    shape
        Of what is cut, which begins with a leaf.
    sides
        Of a leaf, along the axes that come first.
    """
    unread = [block for block in blocks if is_unread(block)]
    strides = unread[0].strides
    lengths = [*sides, *(1,) * (len(shape) - len(sides))]
    steps, size = list(shape), prod(shape) * sum([block.itemsize for block in unread])
    runs_apart = 1
    for axis in sorted(range(len(shape)), key=lambda axis: -strides[axis]):
        run = strides[axis] * lengths[axis]
        if size <= PIECE_BYTES or (runs_apart > 1 and run < RUN_BYTES):
            break
        leaves = max(1, int(-(-shape[axis] // lengths[axis]) * PIECE_BYTES / size))
        if runs_apart > 1:
            leaves = max(leaves, RUN_BYTES // run)
        steps[axis] = min(shape[axis], leaves * lengths[axis])
        size = size * steps[axis] // max(1, shape[axis])
        runs_apart *= steps[axis]
    spans = [
        [(low, min(low + step, n)) for low in range(0, n, max(1, step))]
        for n, step in zip(shape, steps, strict=True)
    ]
    for corner in product(*spans):
        sided = list(zip(corner, lengths, strict=True))
        places = tuple([slice(a // side, -(-b // side)) for (a, b), side in sided])
        yield places, tuple([slice(a, b) for a, b in corner])
