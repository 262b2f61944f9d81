"""A shuffle of rows on a GPU: places sent to the owners of a table's rows, and rows between them.

The owners of places are told by a kernel and put in order by CuPy's stable sort; how many places
each has crosses to the host, as it is the length of a bucket. A run is sorted once, and its buckets
are views of what was sorted.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from math import prod
from typing import Any, Final, NamedTuple

import numpy as np

from dask_tapestry_kernels.bucket_blocks import BucketBlocks
from dask_tapestry_kernels.cuda.blocks.picked_cells import Pick, aligned, as_words, picked
from dask_tapestry_kernels.cuda.blocks.scatter import fold_rows
from dask_tapestry_kernels.cuda.blocks.shuffle_texts import (
    INT64,
    counted_program,
    ends_program,
    owners_program,
    returned_program,
)
from dask_tapestry_kernels.cuda.jit.runtime import Block, blocks_for, runtime
from dask_tapestry_kernels.kernel_table import Kernel

Keep = tuple[Any, ...]  # slices: cells of a whole result that are wanted


class _OwnerOrder(NamedTuple):
    """Numbers of places in the order of their owners, and where those of each begin and end."""

    order: Block
    ends: list[int]


def by_owner(places: Block, owners: int, side: int, low: int, high: int) -> _OwnerOrder:
    """The order of places by the owners of the rows from `low` to `high`, who have `side` each."""
    gpu, count = runtime(), places.shape[0]
    owner, order, ends = [gpu.empty((n,), INT64) for n in (count, 0, owners + 1)]
    if count:
        words = [count, places.strides[0] // places.itemsize, low, high, side]
        program = owners_program(places.dtype)
        gpu.launch(program, blocks_for(count, gpu), [*map(np.int64, words), places, owner])
        order = gpu.order_of(owner)
    sizes = [np.int64(owners + 1), np.int64(count)]
    gpu.launch(ends_program(), blocks_for(owners + 1, gpu), [*sizes, owner, order, ends])
    return _OwnerOrder(order, gpu.to_host(ends).tolist())


def _rows(table: Block, places: Block) -> Block:
    """Rows of a table, at places that it has, in C order."""
    shape = (*places.shape, *table.shape[1:])
    if not prod(shape):
        return runtime().empty(shape, table.dtype)
    still = [0] * (table.ndim - 1)
    top = table.shape[0] - 1
    pick = Pick(places, (places.strides[0], *still), 0, table.shape[0], 0, top)
    return picked(None, table, [pick], [0, *table.strides[1:]], 0, shape)


def _parts(whole: Block, ends: Sequence[int]) -> list[Block]:
    return [whole[a:b] for a, b in pairwise(ends)]


def _together(buckets: Sequence[Block]) -> Block:
    """Buckets one after the other."""
    return buckets[0] if len(buckets) == 1 else runtime().library.concatenate(list(buckets))


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
    gpu, buckets = runtime(), BucketBlocks.empty((count, owners))
    for run in range(count):
        own = aligned(gpu, places[run * length : (run + 1) * length])
        order, ends = by_owner(own, owners, side, 0, owners * side)
        owner_places = gpu.empty(own.shape, own.dtype)
        if own.shape[0]:
            words = [own.shape[0], own.strides[0] // own.itemsize, side]
            program = counted_program(own.dtype)
            arguments = [*map(np.int64, words), own, order, owner_places]
            gpu.launch(program, blocks_for(own.shape[0], gpu), arguments)
        for owner, bucket in enumerate(_parts(owner_places, ends)):
            buckets.cells[run, owner] = bucket
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
    gpu, buckets = runtime(), BucketBlocks.empty((count, owners))
    updates = aligned(gpu, updates)
    for run in range(count):
        part = slice(run * length, (run + 1) * length)
        own = aligned(gpu, places[part])
        order, ends = by_owner(own, owners, side, 0, owners * side)
        for owner, bucket in enumerate(_parts(_rows(updates[part], order), ends)):
            buckets.cells[run, owner] = bucket
    return buckets[(*keep, ...)]


def serve(
    out: None,  # noqa: ARG001
    requests: BucketBlocks,
    table: Block,
    *,
    side: int,
    keep: Keep,
) -> BucketBlocks:
    """Buckets (run, owner) of the rows that are asked for, of an owner all at once."""
    buckets, table = BucketBlocks.empty(requests.shape), aligned(runtime(), table)
    runs, owners = requests.shape
    for owner in range(owners if runs else 0):
        asked = list(requests.cells[:, owner])
        ends = [0, *accumulate(len(one) for one in asked)]
        found = _rows(table[owner * side : (owner + 1) * side], _together(asked))
        for run, bucket in enumerate(_parts(found, ends)):
            buckets.cells[run, owner] = bucket
    return buckets[(*keep, ...)]


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
    """Buckets (run, owner) of the rows that owners have, of all places: others are left out.

    Parameters
    ----------
    first
        Number of the owner whose rows `table` begins with.
    runs, length, side
        How many runs there are; places of each, and rows of an owner.
    """
    gpu, table = runtime(), aligned(runtime(), table)
    owners, low = -(-table.shape[0] // side), first * side
    buckets = BucketBlocks.empty((runs, owners))
    for run in range(runs):
        own = aligned(gpu, places[run * length : (run + 1) * length])
        order, ends = by_owner(own, owners, side, low, low + table.shape[0])
        held = order[ends[0] : ends[-1]] if owners else order[:0]
        rows = _rows(own, held)
        pick = Pick(rows, (rows.strides[0], *[0] * (table.ndim - 1)), 0, 0, low, table.shape[0] - 1)
        shape = (*rows.shape, *table.shape[1:])
        found = picked(None, table, [pick], [0, *table.strides[1:]], 0, shape)
        for owner, bucket in enumerate(_parts(found, [end - ends[0] for end in ends])):
            buckets.cells[run, owner] = bucket
    return buckets[(*keep, ...)]


def give_back(
    out: Block | None,  # noqa: ARG001
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
    gpu, width = runtime(), prod(row)
    returned = gpu.empty((answers.shape[0] * length, *row), dtype)
    returned[...] = dtype.type(0)
    for run in range(answers.shape[0]):
        own = aligned(gpu, places[run * length : (run + 1) * length])
        order, ends = by_owner(own, owners, side, 0, owners * side)
        cells = (ends[-1] - ends[0]) * width
        if not cells:
            continue
        rows = as_words(gpu.in_order(_together(list(answers.cells[run]))))
        target = as_words(returned[run * length : (run + 1) * length])
        words = map(np.int64, (cells, width, ends[0]))
        program = returned_program(rows.dtype)
        gpu.launch(program, blocks_for(cells, gpu), [*words, order, rows, target])
    return returned[(*keep, ...)]


def fold_sent(
    out: Block | None,  # noqa: ARG001
    table: Block,
    requests: BucketBlocks,
    updates: BucketBlocks,
    *,
    side: int,
    expressions: tuple[Any, ...],
    keep: Keep,
) -> Block:
    """Rows of owners with updates folded in, run after run; those that the table lacks are zero.

    Raises
    ------
    KernelDeviceError
        If a step of an expression has no meaning on a GPU.
    """
    gpu, (runs, owners) = runtime(), requests.shape
    folded = gpu.empty((owners * side, *table.shape[1:]), table.dtype)
    folded[: table.shape[0]] = table
    folded[table.shape[0] :] = table.dtype.type(0)
    for owner in range(owners if runs else 0):
        places = _together(list(requests.cells[:, owner])).astype(INT64, copy=False)
        given = _together(list(updates.cells[:, owner]))
        part = folded[owner * side : (owner + 1) * side]
        fold_rows(part, given, gpu.in_order(places), expressions)
    return folded[(*keep, ...)]


KERNELS: Final[dict[str, Kernel]] = {
    "route": route,  # type: ignore[dict-item]
    "send": send,  # type: ignore[dict-item]
    "serve": serve,  # type: ignore[dict-item]
    "answer": answer,  # type: ignore[dict-item]
    "giveback": give_back,
    "foldsent": fold_sent,
}
