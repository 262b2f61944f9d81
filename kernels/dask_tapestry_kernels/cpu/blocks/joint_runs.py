"""Joint runs: sorted runs of two vectors, split together, so that equal cells come together.

Consumer q has the cells of both from number q * length on, in the order of all. Of equal cells
those of the vector whose runs are first come first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal, NamedTuple

import numpy as np

from dask_tapestry_kernels.bucket_blocks import BucketBlocks
from dask_tapestry_kernels.cpu.blocks.exchange import bounds, exact_ends
from dask_tapestry_kernels.cpu.blocks.search import is_in, search
from dask_tapestry_kernels.cpu.blocks.sort import sort_cells
from dask_tapestry_kernels.cpu.blocks.stable_order import stable_order
from dask_tapestry_kernels.kernel_table import Kernel
from dask_tapestry_kernels.parameters.joint_runs import JointRuns
from dask_tapestry_kernels.parameters.run_sizes import run_sizes
from dask_tapestry_kernels.stopping import stop_if_asked

Block = np.ndarray[Any, Any]
Keep = tuple[Any, ...]  # slices: cells of a whole result that are wanted
Answer = Literal["left", "right", "within"]
SLICE: Final = 2**18  # cells of a table that are searched at a time: they stay in a cache
TURN: Final = 2**19  # cells that are looked up at a time


class Share(NamedTuple):
    """What a consumer has of the runs of one of the vectors.

    Attributes
    ----------
    parts
        Its cells of each run, sorted.
    before
        How many cells are before them, of all runs.
    last, following
        The last cell before them, and the first one behind, or nothing.
    """

    parts: list[Block]
    before: int
    last: Block
    following: Block


def look_up(
    out: None,  # noqa: ARG001
    buckets: BucketBlocks,
    windows: Block,
    *,
    runs: JointRuns,
    first: int,
    answer: Answer,
    keep: Keep,
) -> BucketBlocks:
    """Buckets (run, consumer): what the second vector tells of cells that runs of the first have.

    Places, int64, left or right of equal cells, or whether cells are "within" it; `first` is the
    first consumer.
    """
    own, other = runs.sides()
    made = BucketBlocks.empty(buckets.cells[own].shape)
    for number in range(buckets.shape[1]):
        ends = consumer_ends(buckets, windows, runs, first, number)
        asked = share(buckets, ends, own, number, runs)
        held = share(buckets, ends, other, number, runs)
        table = merged([held.last, *held.parts] if answer == "within" else held.parts)
        for run, told in enumerate(told_of(asked.parts, table, answer, held.before)):
            made.cells[run, number] = told
    return made[(*keep, ...)]


def among(out: Block | None, cells: Block, table: Block, *, answer: Answer) -> Block:  # noqa: ARG001
    """What a `table` in any order tells of cells of any shape."""
    order = np.argsort(cells, axis=None)
    told = np.empty(cells.size, bool if answer == "within" else np.int64)
    (told[order],) = told_of([cells.reshape(-1)[order]], merged([table]), answer, 0)
    return told.reshape(cells.shape)


def told_of(parts: Sequence[Block], table: Block, answer: Answer, before: int) -> list[Block]:
    """What a sorted table, `before` which there are so many cells more, tells of sorted parts.

    Cells of all parts are looked up together, in their order, in a slice of the table at a time: 2
    million of them take .16 s in a table of 4 million, one part after the other .26 to .53 s.
    """
    kind = bool if answer == "within" else np.int64
    told = [np.empty(len(part), kind) for part in parts]
    marks = table[SLICE::SLICE]
    side: Literal["left", "right"] = (
        "right" if answer == "left" else "left"
    )  # of equal cells some are in a slice
    cuts = [[0, *np.searchsorted(part, marks, side).tolist(), len(part)] for part in parts]
    for number in range(len(marks) + 1):
        stop_if_asked()
        rows = slice(number * SLICE, (number + 1) * SLICE)
        ends = [(one[number], one[number + 1]) for one in cuts]
        cells = np.concatenate([part[a:b] for part, (a, b) in zip(parts, ends, strict=True)])
        found = _told(cells, table[rows], answer, before + rows.start)
        widths = np.cumsum([b - a for a, b in ends])
        for one, (a, b), piece in zip(told, ends, np.split(found, widths[:-1]), strict=True):
            one[a:b] = piece
    return told


def _told(cells: Block, table: Block, answer: Answer, before: int) -> Block:
    """What a sorted table tells of cells, some of them at a time, each time in order."""
    told = np.empty(cells.size, bool if answer == "within" else np.int64)
    for first in range(0, cells.size, TURN):
        some = cells[first : first + TURN]
        order = stable_order(some)
        ordered = some[order]
        if answer == "within":
            found = is_in(None, ordered, table, invert=False)
        else:
            found = search(None, ordered, table, side=answer) + before
        told[first : first + TURN][order] = found
    return told


def consumer_ends(
    buckets: BucketBlocks, windows: Block, runs: JointRuns, first: int, number: int
) -> tuple[Block, Block, Block]:
    """Where a consumer's own cells begin and end in each bucket; where that begins in its run."""
    around = windows[:, number : number + 2]
    begin = bounds(around, ahead=1)[0][:, 0]
    low, high = (min((first + number + n) * runs.length, runs.cells) for n in (0, 1))
    starts, stops = exact_ends(list(buckets.cells[:, number]), around, (low, high), ahead=1)
    return np.array(starts), np.array(stops), begin


def share(
    buckets: BucketBlocks,
    ends: tuple[Block, Block, Block],
    side: slice,
    number: int,
    runs: JointRuns,
) -> Share:
    """What a consumer has of the runs of one side, and next to it as far as buckets have it."""
    starts, stops, begin = (one[side] for one in ends)
    own = buckets.cells[side, number]
    sizes = run_sizes(runs.length, runs.groups)[side]
    parts = [cells[a:b] for cells, a, b in zip(own, starts, stops, strict=True)]
    heads = [cells[max(0, a - 1) : a] for cells, a in zip(own, starts, strict=True)]
    left = [n - a for n, a in zip(sizes, begin, strict=True)]  # behind them a run is filled up
    tails = [cells[b : min(b + 1, n)] for cells, b, n in zip(own, stops, left, strict=True)]
    before, none = int((begin + starts).sum()), buckets.cells[0, number][:0]  # of a side of no runs
    last, following = (merged([none, *cells]) for cells in (heads, tails))
    return Share(parts, before, last[-1:], following[:1])


def merged(parts: Sequence[Block]) -> Block:
    """Sorted parts as one."""
    cells = np.concatenate(parts)
    sort_cells(cells, -1, in_runs=True)
    return cells


def put_back(
    out: Block | None,  # noqa: ARG001
    buckets: BucketBlocks,
    cells: Block,
    *,
    length: int,
    dtype: np.dtype[Any],
    keep: Keep,
) -> Block:
    """What is told of cells in order, in buckets (run, consumer), of each cell where it was."""
    made = np.empty(buckets.shape[0] * length, dtype)
    for run in range(buckets.shape[0]):
        own = slice(run * length, (run + 1) * length)
        order = np.argsort(cells[own])
        made[run * length + order] = np.concatenate(list(buckets.cells[run]))
    return made[(*keep, ...)]


KERNELS: Final[dict[str, Kernel]] = {
    "lookup": look_up,  # type: ignore[dict-item]
    "putback": put_back,
    "among": among,
}
