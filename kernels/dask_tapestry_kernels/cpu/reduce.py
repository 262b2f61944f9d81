"""Reductions over the canonical tree: leaves of a block, merges of nodes, the final value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import prod
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cpu.monoids import ARITHMETIC, Arithmetic
from dask_tapestry_kernels.cpu.tape import evaluate, tiles

Block = np.ndarray[Any, Any]
GATHER_CELLS: Final = 131_072  # cells of leaves that are laid side by side: 1 MiB of float64


def reduce(
    out: Block | None,  # noqa: ARG001
    *blocks: Block,
    monoid: str,
    axes: tuple[int, ...],
    tree: Any,
    origin: tuple[int, ...],
    dtype: np.dtype[Any],
    state: np.dtype[Any],
    ddof: float,
    source: int | None,
    target: int | None,
    expression: Any = None,
) -> Block:
    """Fold `block` from cells or nodes of level `source` to nodes of level `target` or the value.

    Parameters
    ----------
    block
        Cells or nodes; along the reduced `axes` it begins at `origin`.
    tree
        The canonical tree: ``sides(level)``, ``axis(level)``, ``counts(level)``, ``depth``.
    dtype, state
        Of the value and of a node.
    """
    arithmetic = ARITHMETIC[monoid]
    block = folded(blocks, expression)
    kept = [axis for axis in range(block.ndim) if axis not in axes]
    nodes = block.transpose(*axes, *kept)
    with np.errstate(all="ignore"):
        level = source or 0
        first = list(origin)
        if source is None:
            first = [o // side for o, side in zip(origin, tree.sides(0), strict=True)]
            nodes = _leaves(nodes, arithmetic, tree, origin, state)
        while level < (tree.depth if target is None else target):
            nodes = merge(nodes, arithmetic, tree, level, first)
            level += 1
        if target is not None:
            return nodes.transpose(np.argsort([*axes, *kept]))
        return _value(nodes, arithmetic, tree, dtype, state, ddof)


def folded(blocks: Sequence[Block], expression: Any) -> Block:
    """The cells that are folded: a block, or a formula of blocks."""
    chosen = 0 if expression is None else expression.chosen
    return evaluate(None, *blocks, expression=expression) if chosen is None else blocks[chosen]


def reductions(out: Block | None, *blocks: Block, parts: tuple[Mapping[str, Any], ...]) -> Block:  # noqa: ARG001
    """Several reductions of the same blocks, or of the fields of one block of nodes."""
    nodes = parts[0]["source"] is not None
    values = [
        reduce(None, *([blocks[0][f"f{number}"]] if nodes else blocks), **part)
        for number, part in enumerate(parts)
    ]
    fields = [(f"f{number}", value.dtype) for number, value in enumerate(values)]
    result = np.empty(values[0].shape, fields)
    for (name, _), value in zip(fields, values, strict=True):
        result[name] = value
    return result


def _value(
    nodes: Block, arithmetic: Arithmetic, tree: Any, dtype: np.dtype[Any], state: Any, ddof: float
) -> Block:
    rank = len(tree.extents)
    shape = nodes.shape[rank:]
    if 0 in nodes.shape[:rank]:
        empty = arithmetic.identity(state) if arithmetic.identity else np.zeros((), state)
        root: Block = np.full(shape, empty, state)
    else:
        root = nodes[(0,) * rank]
    return arithmetic.finish(root, prod(tree.extents), ddof).astype(dtype, copy=False)


def merge(nodes: Block, arithmetic: Arithmetic, tree: Any, level: int, first: list[int]) -> Block:
    """Merge neighbours along the level's axis; the last of an odd number passes through."""
    axis = tree.axis(level)
    pairs = nodes.shape[axis] // 2
    counts = _cells(nodes, tree, level, first)
    first[axis] //= 2
    if not pairs:
        return nodes
    left, right = _along(axis, 0, 2 * pairs, 2), _along(axis, 1, 2 * pairs, 2)
    merged = arithmetic.combine(nodes[left], nodes[right], counts[left], counts[right])
    rest = nodes[_along(axis, 2 * pairs, None, 1)]
    return np.concatenate([merged, rest], axis) if rest.shape[axis] else merged


def _along(axis: int, start: int, stop: int | None, step: int) -> tuple[slice, ...]:
    return (*(slice(None),) * axis, slice(start, stop, step))


def _cells(nodes: Block, tree: Any, level: int, first: list[int]) -> Block:
    """Number of cells that each node stands for, shaped to broadcast with the nodes."""
    rank = len(tree.extents)
    counts: Block = np.ones((1,) * nodes.ndim)
    for axis, (side, extent) in enumerate(zip(tree.sides(level), tree.extents, strict=True)):
        starts = (first[axis] + np.arange(nodes.shape[axis])) * side
        lengths = np.minimum(side, extent - starts)
        counts = counts * lengths.reshape(-1, *(1,) * (nodes.ndim - axis - 1))
    return counts if rank else np.ones_like(counts)


def _leaves(
    cells: Block,
    arithmetic: Arithmetic,
    tree: Any,
    origin: tuple[int, ...],
    state: np.dtype[Any],
) -> Block:
    """States of the leaves of cells whose reduced axes come first."""
    rank, sides = len(origin), tree.sides(0)
    grid = leaf_grid(cells.shape[:rank], sides)
    nodes = np.empty((*grid, *cells.shape[rank:]), state)
    for place, part in _uniform(cells.shape[:rank], sides):
        box = cells[part]
        if not box.size:
            continue
        counts = [p.stop - p.start for p in place]
        shape = [n for g, n in zip(counts, box.shape, strict=False) for n in (g, n // g)]
        split = box.reshape(*shape, *box.shape[rank:])
        split = split.transpose(
            *range(0, 2 * rank, 2), *range(2 * rank, split.ndim), *range(1, 2 * rank, 2)
        )
        nodes[place] = _fold_tiles(split, arithmetic, rank, state)
        if state.names and "place" in state.names:
            _globalize(nodes[place], split.shape[-rank:], part, origin, tree.extents)
    return nodes


def leaf_grid(shape: tuple[int, ...], sides: tuple[int, ...]) -> tuple[int, ...]:
    """Number of leaves along each axis of a box that begins on a leaf."""
    return tuple(-(-n // side) for n, side in zip(shape, sides, strict=True))


def _uniform(
    shape: tuple[int, ...], sides: tuple[int, ...]
) -> Iterator[tuple[tuple[slice, ...], tuple[slice, ...]]]:
    """Parts of a box whose leaves are all alike: (leaf slices, cell slices)."""
    choices = []
    for n, side in zip(shape, sides, strict=True):
        whole = n // side
        parts = [(slice(0, whole), slice(0, whole * side))] if whole else []
        if n % side:
            parts.append((slice(whole, whole + 1), slice(whole * side, n)))
        choices.append(parts)
    for combination in product(*choices):
        yield tuple(c[0] for c in combination), tuple(c[1] for c in combination)


def _fold_tiles(split: Block, arithmetic: Arithmetic, rank: int, state: np.dtype[Any]) -> Block:
    """Leaf states of cells shaped (leaves..., kept..., sides of a leaf...)."""
    outer = split.shape[:-rank]
    inner = split.shape[-rank:]
    result = np.empty(outer, state)
    budget = max(1, GATHER_CELLS // prod(inner))
    for tile in tiles(outer, budget):
        part = split[tile]
        leaves, kept = part.shape[:rank], part.shape[rank:-rank]
        order = (*range(rank), *range(rank + len(kept), part.ndim), *range(rank, rank + len(kept)))
        gathered = np.ascontiguousarray(part.transpose(order))
        folded = arithmetic.leaf(gathered.reshape(prod(leaves), prod(inner), prod(kept)), state)
        result[tile] = folded.reshape(*leaves, *kept)
    return result


def _globalize(
    nodes: Block,
    sides: tuple[int, ...],
    part: tuple[slice, ...],
    origin: tuple[int, ...],
    extents: tuple[int, ...],
) -> None:
    """Turn places counted within a leaf into running numbers over the reduced axes."""
    within = np.unravel_index(nodes["place"], sides)
    number = np.zeros((), np.intp)
    for axis, extent in enumerate(extents):
        leaf = np.arange(nodes.shape[axis]).reshape(-1, *(1,) * (nodes.ndim - axis - 1))
        start = origin[axis] + part[axis].start + leaf * sides[axis]
        number = number * extent + start + within[axis]
    nodes["place"] = number
