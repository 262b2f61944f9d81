"""Nodes of folds that are the same in whatever order cells are taken, which is that of memory.

The leaves of a tree over several axes are bricks, which lie apart in memory: to fold them they are
packed. Integers have one sum, and truths one `any`, in every order; so has the greatest of
floats unless it is a zero or a NaN, of which there are several. The place of the greatest cell
is found by NumPy in the cells of a node, where they lie in the order of places.

The greatest of 144 x 144 x 144 float64 takes .8 ms of one thread by runs of memory, and 3.8 ms by
bricks; its place 1.2 and 5.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise, product
from math import prod
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cpu.cells.interpreter import tiles
from dask_tapestry_kernels.cpu.reduction.lane_folds import LANES
from dask_tapestry_kernels.cpu.reduction.leaf_states import leaf_states
from dask_tapestry_kernels.fold_part import FoldPart, globalize, last_level, tells_places
from dask_tapestry_kernels.lattice_cells import node_counts, node_numbers

Block = np.ndarray[Any, Any]
Cut = tuple[slice, ...]

FEW_CELLS: Final = 65_536  # of a block; with fewer, leaves are folded as fast
SHORT_NODE: Final = 4_096  # cells of a column, with fewer of which a node is hardly longer than one
RUN_CELLS: Final = 4_096  # that are folded at once
SHORT_RUN: Final = 64  # cells side by side, up to which cells elsewhere join them
LONG_RUN: Final = 1_024  # cells of a run, with fewer of which a brick is folded as fast
# Cells of a line from which bricks side by side are folded faster than runs: the greatest of 16 M
# float64 in lines of 2000 takes 6.7 ms of a thread, and 11 by runs; in lines of 250 14 and 7
LONG_LINE: Final = 1_024
COPIED_CELLS: Final = 32_768  # of lines that are looked through together
LEAST_LINE: Final = 128  # cells in which a place is looked for at once; shorter lines are copied

OF_TRUTHS: Final[Mapping[str, np.ufunc]] = {
    "any": np.logical_or,
    "all": np.logical_and,
    "xor": np.logical_xor,
    "bitwise_and": np.bitwise_and,
    "bitwise_or": np.bitwise_or,
    "bitwise_xor": np.bitwise_xor,
}
OF_INTEGERS: Final[Mapping[str, np.ufunc]] = {"sum": np.add, "add": np.add, "prod": np.multiply}
EXTREMES: Final[Mapping[str, np.ufunc]] = {
    "min": np.minimum,
    "max": np.maximum,
    "fmin": np.fmin,
    "fmax": np.fmax,
}
FUNCTIONS: Final = {**OF_TRUTHS, **OF_INTEGERS, **EXTREMES}
FIRST_PLACES: Final[Mapping[str, Any]] = {"argmin": np.argmin, "argmax": np.argmax}


def nodes_in_any_order(blocks: Sequence[Block], part: FoldPart) -> Block | None:
    """Nodes at the last level of a block whose reduced axes come first; None where leaves are due.

    That is where the order matters, where leaves lie in memory as they are, and where nodes are
    small.
    """
    if not may_take_any_order(blocks, part):
        return None
    block, rank = _chosen(blocks, part), len(part.axes)
    counts = node_counts(part.tree, last_level(part), part.origin, block.shape[:rank])
    if prod(block.shape[:rank]) < SHORT_NODE * prod(counts):
        return None
    find = _place_nodes if tells_places(part) else _value_nodes
    nodes = np.empty((*counts, *block.shape[rank:]), part.state)
    for place, cut in _boxes(part, counts):
        found = find(block[cut], cut, part)
        if found is None:
            return None
        nodes[place] = found
    return nodes


def may_take_any_order(blocks: Sequence[Block], part: FoldPart) -> bool:
    """Whether nodes may be looked for so in blocks that lie as these, read or not."""
    block = _chosen(blocks, part)
    if block is None or block.size < FEW_CELLS:
        return False
    return _is_free(part, block.dtype) and _gains(block, part)


def _chosen(blocks: Sequence[Block], part: FoldPart) -> Any:
    """The block that is folded as it is; None of a formula."""
    number = 0 if part.expression is None else part.expression.chosen
    return None if number is None else blocks[number]


def _is_free(part: FoldPart, cell: np.dtype[Any]) -> bool:
    """Whether the order of cells does not matter, or seldom."""
    if not cell.isnative:
        return False
    if part.monoid in OF_TRUTHS:
        return cell.kind in "biuf"
    if part.monoid in OF_INTEGERS:
        return cell.kind in "biu" and part.state.kind in "iu"
    plain = cell.kind in "biu" or (cell.kind == "f" and cell.itemsize in (4, 8))
    return plain and part.monoid in (*EXTREMES, *FIRST_PLACES)


def _gains(block: Block, part: FoldPart) -> bool:
    """Whether cells lie otherwise than leaves have them; whether places count them as they lie."""
    rank = len(part.axes)
    if tells_places(part):
        return _is_row(block, rank)
    axes = zip(block.shape[:rank], block.strides[:rank], strict=True)
    long = [(n, step) for n, step in axes if n > 1]
    pairs = list(pairwise(long))
    one = any(before == step * n for (_, before), (n, step) in pairs)
    in_order = all(before >= step for (_, before), (_, step) in pairs)
    return one or not in_order or any(step < 0 for _, step in long)


def _is_row(block: Block, rank: int) -> bool:
    """Whether the cells of the leading axes lie side by side, in their order."""
    step = block.itemsize
    axes = zip(block.shape[:rank], block.strides[:rank], strict=True)
    for n, stride in reversed(list(axes)):
        if n > 1 and stride != step:
            return False
        step *= n
    return True


def _boxes(part: FoldPart, counts: Sequence[int]) -> Iterator[tuple[Cut, Cut]]:
    """The places of nodes among those of a block, and their cells in it."""
    tree, level = part.tree, last_level(part)
    first = node_numbers(tree, level, part.origin)
    for place in product(*map(range, counts)):
        numbers = [a + b for a, b in zip(first, place, strict=True)]
        spans = [tree.span(level, axis, number) for axis, number in enumerate(numbers)]
        cells = zip(spans, part.origin, strict=True)
        cut = tuple([slice(low - start, high - start) for (low, high), start in cells])
        yield tuple([slice(n, n + 1) for n in place]), cut


def _value_nodes(box: Block, cut: Cut, part: FoldPart) -> Block | None:
    """The node of each column of a box; None where nothing is compiled, or the order matters."""
    rank = len(cut)
    box = box[tuple([slice(None, None, -1 if step < 0 else 1) for step in box.strides[:rank]])]
    order = sorted(range(rank), key=lambda axis: -box.strides[axis])
    box = box.transpose(*order, *range(rank, box.ndim))
    states = leaf_states([box], part.monoid, box.dtype, _run_sides(box, rank), part.state)
    if states is None:
        return None
    function = FUNCTIONS[part.monoid]
    dtype = part.state if part.monoid in OF_INTEGERS else None
    node = np.asarray(function.reduce(states, axis=tuple(range(rank)), dtype=dtype))
    of_floats = node.dtype.kind == "f" and part.monoid in EXTREMES
    return None if of_floats and not np.all(np.abs(node) > 0) else node


def _run_sides(box: Block, rank: int) -> tuple[int, ...]:
    """Sides of leaves of which each is a run of memory, or a brick of lines that is not packed."""
    sides, cells = [1] * rank, 1
    for axis in range(rank - 1, -1, -1):
        n = box.shape[axis]
        later = axis + 1
        apart = cells > SHORT_RUN and box.strides[axis] != box.strides[later] * box.shape[later]
        if apart or 2 * cells > RUN_CELLS:
            break
        sides[axis] = max(1, min(n, RUN_CELLS // cells))
        cells *= sides[axis]
        if sides[axis] < n:
            break
    few = cells < LONG_RUN or box.shape[rank - 1] >= LONG_LINE
    lines = rank > 1 and few and min(box.shape[rank - 2 : rank]) >= LANES
    if lines and box.strides[rank - 1] == box.itemsize:
        sides[rank - 2 :] = LANES, LANES
    return tuple(sides)


def _place_nodes(box: Block, cut: Cut, part: FoldPart) -> Block:
    """The node of each column of a box whose reduced axes are a row."""
    rank, kept = len(cut), box.shape[len(cut) :]
    rows = box.transpose(*range(rank, box.ndim), *range(rank))
    place, value = _first_places(part.monoid, rows, rank)
    node = np.empty((*(1,) * rank, *kept), part.state)
    node["place"], node["value"] = place, value
    globalize(node, box.shape[:rank], cut, part.origin, part.tree.extents)
    return node


def _first_places(monoid: str, rows: Block, rank: int) -> tuple[Any, Any]:
    """Place and value of the first extreme along the last `rank` axes taken as one.

    Lines that lie apart are looked through one by one, and then the values found in them.
    """
    kept, cells = rows.shape[: rows.ndim - rank], rows.shape[rows.ndim - rank :]
    inner, axis = 1, rank
    while axis and rows.strides[len(kept) + axis - 1] == inner * rows.itemsize:
        axis -= 1
        inner *= cells[axis]
    if axis == 0 or inner < LEAST_LINE:
        axis, inner = 0, prod(cells)
    lines = rows.reshape(*kept, *cells[:axis], inner)
    place = _places_in(lines, monoid)
    value = np.take_along_axis(lines, place[..., None], -1)[..., 0]
    if not axis:
        return place, value
    places, values = place.reshape(*kept, -1), value.reshape(*kept, -1)
    line = np.asarray(FIRST_PLACES[monoid](values, axis=-1))[..., None]
    first = np.take_along_axis(places, line, -1) + inner * line
    return first[..., 0], np.take_along_axis(values, line, -1)[..., 0]


def _places_in(lines: Block, monoid: str) -> Block:
    """The place in each line; NumPy copies lines that lie apart, here so many as a cache holds."""
    find = FIRST_PLACES[monoid]
    if lines.flags.c_contiguous:
        return np.asarray(find(lines, axis=-1))
    places = np.empty(lines.shape[:-1], np.intp)
    for piece in tiles(places.shape, max(1, COPIED_CELLS // lines.shape[-1])):
        places[piece] = find(lines[piece], axis=-1)
    return places
