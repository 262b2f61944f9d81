"""Set cells: the distinct cells of two vectors that a set operation asks for.

Consumers have sorted cells of both vectors, in the order of all, and the one next to their own on
either side. So each tells for itself which of its cells are the first of their kind, and whether
the other vector has any of it: of equal cells those of the second vector come first.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, Final, Literal, NamedTuple

import numpy as np

from dask_tapestry_kernels.bucket_blocks import BucketBlocks
from dask_tapestry_kernels.cpu.blocks.joint_runs import Share, consumer_ends, merged, share
from dask_tapestry_kernels.cpu.blocks.search import is_in
from dask_tapestry_kernels.cpu.blocks.sort import sort_cells
from dask_tapestry_kernels.kernel_table import Kernel
from dask_tapestry_kernels.parameters.joint_runs import JointRuns
from dask_tapestry_kernels.stopping import stop_if_asked

Block = np.ndarray[Any, Any]
Keep = tuple[Any, ...]  # slices: cells of a whole result that are wanted
Choice = Literal["both", "first", "one"]  # in which of two vectors the cells are
PIECE: Final = 2**18  # cells that are looked up at a time: what they are sought in stays in a cache


class Side(NamedTuple):
    """Cells of a vector that a consumer has, sorted, and the ones next to them, if any."""

    last: Block
    cells: Block
    following: Block


class Chosen(NamedTuple):
    """Cells that are chosen, sorted, and the number of each among the consumer's of both vectors.

    Numbers are told of a place in the chosen cells, as few are asked for.
    """

    cells: Block
    number: Callable[[int], int]


def set_cells(
    out: None,  # noqa: ARG001
    x: Block,
    y: Block,
    *,
    choice: Choice,
    span: int,
    keep: Keep,
) -> BucketBlocks:
    """Buckets of the cells that are chosen, one for each `span` cells of both vectors in order."""
    none = x[:0]
    own, other = (Side(none, _in_order(cells), none) for cells in (x, y))
    count = -(-(own.cells.size + other.cells.size) // span)
    return _in_buckets(chosen(own, other, choice), count, span)[(*keep, ...)]


def _in_order(cells: Block) -> Block:
    ordered = cells.copy()
    sort_cells(ordered, -1, in_runs=False)
    return ordered


def set_of_runs(
    out: None,  # noqa: ARG001
    buckets: BucketBlocks,
    windows: Block,
    *,
    runs: JointRuns,
    first: int,
    choice: Choice,
    span: int,
    keep: Keep,
) -> BucketBlocks:
    """The same of consumers, of which `first` is the first: each has buckets of sorted runs."""
    made = [
        _in_buckets(chosen(own, other, choice), runs.length // span, span).cells
        for own, other in _consumers(buckets, windows, runs, first)
    ]
    return BucketBlocks(np.concatenate(made))[(*keep, ...)]


def _consumers(
    buckets: BucketBlocks, windows: Block, runs: JointRuns, first: int
) -> list[tuple[Side, Side]]:
    """What each consumer has of both vectors."""
    found = []
    for number in range(buckets.shape[1]):
        stop_if_asked()
        ends = consumer_ends(buckets, windows, runs, first, number)
        pair = [_side(share(buckets, ends, one, number, runs)) for one in runs.sides()]
        found.append((pair[0], pair[1]))
    return found


def _side(own: Share) -> Side:
    return Side(own.last, merged([own.last[:0], *own.parts]), own.following)


def chosen(x: Side, y: Side, choice: Choice) -> list[Chosen]:
    """The cells of x, and those of y, that a choice takes, each once."""
    at = np.flatnonzero(_firsts(x))
    own = x.cells[at]
    held = _within(own, np.concatenate([y.last, y.cells]), invert=choice != "both")
    at, own = at[held], own[held]
    found = [Chosen(own, lambda i: int(at[i] + np.searchsorted(y.cells, own[i], "right")))]
    return [*found, _alone(y, x)] if choice == "one" else found


def _alone(y: Side, x: Side) -> Chosen:
    """The cells of y that x does not hold: each is the last of its kind, behind which x has any."""
    at = np.flatnonzero(_lasts(y))
    own = y.cells[at]
    held = _within(own, np.concatenate([x.cells, x.following]), invert=True)
    at, own = at[held], own[held]
    return Chosen(own, lambda i: int(at[i] + np.searchsorted(x.cells, own[i], "left")))


def _firsts(side: Side) -> Block:
    """Which cells are not what the one before them is."""
    unlike = _changes(np.concatenate([side.last, side.cells]))
    return np.concatenate([np.ones(side.cells.size - unlike.size, bool), unlike])


def _lasts(side: Side) -> Block:
    """Which cells are not what the one after them is."""
    unlike = _changes(np.concatenate([side.cells, side.following]))
    return np.concatenate([unlike, np.ones(side.cells.size - unlike.size, bool)])


def _changes(cells: Block) -> Block:
    """Which sorted cells, but for the first, are not what the one before them is.

    After a NaN all cells are the same.
    """
    unlike = np.asarray(cells[1:] != cells[:-1])
    if cells.dtype.kind in "fcmM":
        unlike &= ~np.isnan(cells[:-1])
    return unlike


def _within(cells: Block, table: Block, invert: bool) -> Block:
    """Whether sorted cells are in a sorted table, some of them in a part of it at a time."""
    found = np.empty(cells.size, bool)
    for first in range(0, cells.size, PIECE):
        stop_if_asked()
        some = cells[first : first + PIECE]
        low = np.searchsorted(table, some[0], "left")
        high = np.searchsorted(table, some[-1], "right")
        found[first : first + PIECE] = is_in(None, some, table[low:high], invert=invert)
    return found


def _in_buckets(parts: Sequence[Chosen], count: int, span: int) -> BucketBlocks:
    """Chosen cells in `count` buckets, each of so many numbers of cells."""
    made = BucketBlocks.empty((count,))
    edges = [[_edge(part, n * span) for n in range(count)] + [part.cells.size] for part in parts]
    ends = [list(pairwise(one)) for one in edges]
    for number in range(count):
        pieces = [part.cells[slice(*one[number])] for part, one in zip(parts, ends, strict=True)]
        made.cells[number] = pieces[0] if len(pieces) == 1 else merged(pieces)
    return made


def _edge(part: Chosen, number: int) -> int:
    """How many chosen cells have a number less than that."""
    return bisect_left(range(part.cells.size), number, key=part.number) if number else 0


def bucket_sizes(out: Block | None, buckets: BucketBlocks) -> Block:  # noqa: ARG001
    """How many cells each bucket has."""
    sizes = [len(bucket) for bucket in buckets.cells.flat]
    return np.array(sizes, np.int64).reshape(buckets.shape)


KERNELS: Final[dict[str, Kernel]] = {
    "setcells": set_cells,  # type: ignore[dict-item]
    "setofruns": set_of_runs,  # type: ignore[dict-item]
    "bucketsizes": bucket_sizes,
}
