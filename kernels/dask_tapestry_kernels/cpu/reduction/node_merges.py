"""Merges of nodes of the canonical tree: neighbours in pairs, level by level."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dask_tapestry_kernels.cpu.reduction.monoids import MonoidOps

Block = np.ndarray[Any, Any]


def merged_to_levels(
    nodes: Block, arithmetic: MonoidOps, tree: Any, levels: range, first: Sequence[int]
) -> Block:
    """Nodes, of which those with the numbers `first` come first, merged at each of some levels."""
    numbers = list(first)
    for level in levels:
        nodes = merge(nodes, arithmetic, tree, level, numbers)
    return nodes


def merge(nodes: Block, arithmetic: MonoidOps, tree: Any, level: int, first: list[int]) -> Block:
    """Merge neighbours along the level's axis; the last of an odd number passes through."""
    axis = tree.axis(level)
    pairs = nodes.shape[axis] // 2
    selected = tree.selected is not None
    counts = (
        _cells(nodes, tree, level, first) if (arithmetic.counted or selected) and pairs else nodes
    )
    first[axis] //= 2
    if not pairs:
        return nodes
    left, right = _slice_along(axis, 0, 2 * pairs, 2), _slice_along(axis, 1, 2 * pairs, 2)
    sides = (nodes[left], nodes[right], counts[left], counts[right])
    merged = arithmetic.combine(*sides) if not selected else _selected(arithmetic, tree, *sides)
    if nodes.shape[axis] == 2 * pairs:
        return merged
    return np.concatenate([merged, nodes[_slice_along(axis, 2 * pairs, None, 1)]], axis)


def _selected(
    arithmetic: MonoidOps, tree: Any, left: Block, right: Block, m: Block, n: Block
) -> Block:
    """The combination where a node without selected cells leaves its neighbour as it is."""
    axis = tree.selected.axis
    others = tuple([other for other in range(m.ndim) if other != axis])
    has_left, has_right = m.any(others), n.any(others)
    both = has_left & has_right
    if both.all():
        return arithmetic.combine(left, right, m, n)
    merged = left.copy()
    for chosen, found in (
        (~has_left & has_right, lambda at: right[at]),
        (both, lambda at: arithmetic.combine(left[at], right[at], m[at], n[at])),
    ):
        if chosen.any():
            at = (*(slice(None),) * axis, np.flatnonzero(chosen))
            merged[at] = found(at)
    return merged


def _slice_along(axis: int, start: int, stop: int | None, step: int) -> tuple[slice, ...]:
    return (*(slice(None),) * axis, slice(start, stop, step))


def _cells(nodes: Block, tree: Any, level: int, first: list[int]) -> Block:
    """Number of cells that each node stands for, shaped to broadcast with the nodes."""
    counts: Block = np.ones((1,) * nodes.ndim)
    for axis, side in enumerate(tree.sides(level)):
        n, begin = nodes.shape[axis], first[axis]
        lengths = np.full(n, float(side))
        if tree.selected is not None and tree.selected.axis == axis:
            lengths[:] = tree.selected_counts(level)[begin : begin + n]
        else:
            for at in {0, n - 1}:  # others are not clipped
                low, high = tree.span(level, axis, begin + at)
                lengths[at] = high - low
        lengths = lengths.reshape(n, *(1,) * (nodes.ndim - axis - 1))
        counts = counts * lengths if axis else lengths
    return counts
