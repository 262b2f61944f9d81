"""A shuffle of rows: places sent to the owners of a table's rows, and rows or updates between them.

A run is a stretch of places, rows of a table that are asked for or updated. An owner holds a
stretch of the table, of `side` rows. A place below zero belongs to nobody.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.bucket_blocks import BucketBlocks
from dask_tapestry_kernels.cpu.blocks.scatter import fold
from dask_tapestry_kernels.kernel_table import Kernel

Block = np.ndarray[Any, Any]
Keep = tuple[Any, ...]  # slices: cells of a whole result that are wanted


def by_owner(places: Block, owners: int, side: int) -> tuple[Block, list[int]]:
    """Numbers of places in the order of their owners, and where those of each begin and end.

    Examples
    --------
    >>> order, ends = by_owner(np.array([5, 0, -1, 4]), 3, 2)
    >>> order.tolist(), ends
    ([2, 1, 0, 3], [1, 2, 2, 4])
    """
    small = np.dtype(np.int16 if owners <= np.iinfo(np.int16).max else np.int64)
    owner = np.where(places < 0, -1, places // side).astype(small)
    order = np.argsort(owner, kind="stable")
    ends: list[int] = np.searchsorted(owner[order], np.arange(owners + 1)).tolist()
    return order, ends


def take_rows(table: Block, places: Block) -> Block:
    """Rows of a table, at places that it has: four times as fast as by indexing."""
    return np.take(table, places, axis=0, mode="clip") if len(table) else table[places]


def route(
    out: None,  # noqa: ARG001
    places: Block,
    *,
    count: int,
    length: int,
    owners: int,
    side: int,
    keep: Keep,
) -> BucketBlocks:
    """Buckets (run, owner) of places, counted from the first row of their owner.

    Parameters
    ----------
    count, length
        How many runs there are, and how many places each has; the last may have fewer.
    owners, side
        How many owners there are, and how many rows each has.
    """
    buckets = BucketBlocks.empty((count, owners))
    for run in range(count):
        own = places[run * length : (run + 1) * length]
        order, ends = by_owner(own, owners, side)
        ordered = own[order]
        for owner in range(owners):
            buckets.cells[run, owner] = ordered[ends[owner] : ends[owner + 1]] - owner * side
    return buckets[(*keep, ...)]


def send(
    out: None,  # noqa: ARG001
    places: Block,
    updates: Block,
    *,
    count: int,
    length: int,
    owners: int,
    side: int,
    keep: Keep,
) -> BucketBlocks:
    """Buckets (run, owner) of updates, whose places `route` sends in the same order."""
    buckets = BucketBlocks.empty((count, owners))
    for run in range(count):
        part = slice(run * length, (run + 1) * length)
        order, ends = by_owner(places[part], owners, side)
        own = updates[part]
        for owner in range(owners):
            buckets.cells[run, owner] = take_rows(own, order[ends[owner] : ends[owner + 1]])
    return buckets[(*keep, ...)]


def serve(
    out: None,  # noqa: ARG001
    requests: BucketBlocks,
    table: Block,
    *,
    side: int,
    keep: Keep,
) -> BucketBlocks:
    """Buckets (run, owner) of the rows that are asked for."""
    made = BucketBlocks.empty(requests.shape)
    for run, owner in np.ndindex(requests.shape):
        own = table[owner * side : (owner + 1) * side]
        made.cells[run, owner] = take_rows(own, requests.cells[run, owner])
    return made[(*keep, ...)]


def answer(
    out: None,  # noqa: ARG001
    places: Block,
    table: Block,
    *,
    first: int,
    runs: int,
    length: int,
    side: int,
    keep: Keep,
) -> BucketBlocks:
    """Buckets (run, owner) of the rows that owners have, of all places: others are masked out.

    Parameters
    ----------
    first
        Number of the owner whose rows `table` begins with.
    runs, length, side
        How many runs there are; places of each, and rows of an owner.
    """
    count = -(-len(table) // side)
    buckets = BucketBlocks.empty((runs, count))
    for owner in range(count):
        own = table[owner * side : (owner + 1) * side]
        begin = (first + owner) * side
        for run in range(runs):
            part = places[run * length : (run + 1) * length]
            held = part[(part >= begin) & (part < begin + len(own))]
            buckets.cells[run, owner] = take_rows(own, held - begin)
    return buckets[(*keep, ...)]


def give_back(
    out: Block | None,
    answers: BucketBlocks,
    places: Block,
    *,
    length: int,
    owners: int,
    side: int,
    row: tuple[int, ...],
    dtype: np.dtype[Any],
    keep: Keep,
) -> Block:
    """Rows of runs, in the order of their places; zeros where the last run has none."""
    shape = (answers.shape[0] * length, *row)
    fits = out is not None and out.shape == shape and out.flags.c_contiguous
    returned = out if out is not None and fits else np.empty(shape, dtype)
    for run in range(answers.shape[0]):
        own = places[run * length : (run + 1) * length]
        order, ends = by_owner(own, owners, side)
        rows = returned[run * length : (run + 1) * length]
        for owner in range(owners):
            rows[order[ends[owner] : ends[owner + 1]]] = answers.cells[run, owner]
        rows[len(own) :] = np.zeros((), dtype)
    return returned[(*keep, ...)]


def fold_sent(
    out: Block | None,
    table: Block,
    requests: BucketBlocks,
    updates: BucketBlocks,
    *,
    side: int,
    expressions: tuple[Any, ...],
    keep: Keep,
) -> Block:
    """Rows of owners with updates folded in, run after run; those that the table lacks are zero."""
    shape = (requests.shape[1] * side, *table.shape[1:])
    fits = out is not None and out.shape == shape and out.flags.c_contiguous
    folded_table = out if out is not None and fits else np.empty(shape, table.dtype)
    folded_table[: len(table)], folded_table[len(table) :] = table, np.zeros((), table.dtype)
    for owner in range(requests.shape[1]):
        places = np.concatenate(list(requests.cells[:, owner]))
        given = np.concatenate(list(updates.cells[:, owner]))
        if given.size:
            fold([folded_table[owner * side : (owner + 1) * side]], [given], places, expressions)
    return folded_table[(*keep, ...)]


KERNELS: Final[dict[str, Kernel]] = {
    "route": route,  # type: ignore[dict-item]
    "send": send,  # type: ignore[dict-item]
    "serve": serve,  # type: ignore[dict-item]
    "answer": answer,  # type: ignore[dict-item]
    "giveback": give_back,
    "foldsent": fold_sent,
}
