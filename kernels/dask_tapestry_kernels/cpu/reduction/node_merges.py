"""Merges of nodes of the canonical tree: neighbours in pairs, level by level."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
    counted = (arithmetic.counted or tree.selected is not None) and pairs
    counts = _cells(nodes, tree, level, first) if counted else nodes
    first[axis] //= 2
    if not pairs:
        return nodes
    left, right = _slice_along(axis, 0, 2 * pairs, 2), _slice_along(axis, 1, 2 * pairs, 2)
    combine = arithmetic.combine if tree.selected is None else _where_selected(arithmetic)
    merged = combine(nodes[left], nodes[right], counts[left], counts[right])
    if nodes.shape[axis] == 2 * pairs:
        return merged
    return np.concatenate([merged, nodes[_slice_along(axis, 2 * pairs, None, 1)]], axis)


def _where_selected(arithmetic: MonoidOps) -> Callable[[Block, Block, Block, Block], Block]:
    """The combination where a node without selected cells leaves its neighbour as it is."""

    def combine(left: Block, right: Block, m: Block, n: Block) -> Block:
        m, n = np.broadcast_to(m, left.shape), np.broadcast_to(n, left.shape)
        both = (m > 0) & (n > 0)
        if both.all():
            return arithmetic.combine(left, right, m, n)
        merged = np.where(m > 0, left, right)
        merged[both] = arithmetic.combine(left[both], right[both], m[both], n[both])
        return merged

    return combine


def _slice_along(axis: int, start: int, stop: int | None, step: int) -> tuple[slice, ...]:
    return (*(slice(None),) * axis, slice(start, stop, step))


def _cells(nodes: Block, tree: Any, level: int, first: list[int]) -> Block:
    """Number of cells that each node stands for, shaped to broadcast with the nodes."""
    counts: Block = np.ones((1,) * nodes.ndim)
    for axis, side in enumerate(tree.sides(level)):
        n = nodes.shape[axis]
        lengths = np.full((n, *(1,) * (nodes.ndim - axis - 1)), float(side))
        chosen = tree.selected is not None and tree.selected.axis == axis
        for at in range(n) if chosen else {0, n - 1}:  # others are not clipped
            lengths[at] = tree.width(level, axis, first[axis] + at)
        counts = counts * lengths if axis else lengths
    return counts
