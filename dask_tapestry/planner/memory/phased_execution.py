"""Phased execution: of a held value only what some blocks of its reader need is there.

Where columns are made of pieces of rows, the pieces of some columns are held until these are made,
then those of the next ones: Dask first runs tasks that others wait for which it has begun.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from dask_tapestry.planner.cost.step import Step
from dask_tapestry.planner.tuning import MOST_FOLLOWED_BLOCKS
from dask_tapestry.steps.access_strides import InputStrides, movement
from dask_tapestry.zspace import Cuts, ZRange


def largest_round(reader: Step, step: Step) -> float:
    """The largest part of a step's value that blocks of its only reader hold together.

    Blocks of both are in one round if they are linked by what is read. It is 1 where all are.
    """
    return prod(share for _, share in _rounds(reader, step).values())


def in_the_same_rounds(reader: Step, step: Step, before: Step) -> bool:
    """Whether the rounds in which a step's value is read are those in which it reads another's.

    Blocks of columns that are made of columns may be made and read in rounds; those that are made
    of rows, and read by columns, wait for all rows: then all of them, or all rows, are held.
    """
    made = {dim for dim, _ in _rounds(step, before).values()}
    return not made or not made.isdisjoint(_rounds(reader, step))


def _rounds(reader: Step, step: Step) -> dict[int, tuple[int, float]]:
    """The axes of a step's value of which blocks of a reader hold a part together.

    With the dimension of the reader that moves along the axis, and the largest part.
    """
    at = reader.inputs.index(step.node)
    moves = movement(reader.program)[at]
    if not _is_steady(reader, at, moves):
        return {}
    rounds: dict[int, tuple[int, float]] = {}
    for axis, cuts in enumerate(step.cuts):
        pace = moves.paces.get(axis)
        if pace is None or cuts.count == 1 or reader.cuts[pace.dim].count > MOST_FOLLOWED_BLOCKS:
            continue
        share = _longest_round(cuts, _spans(reader, at, moves, axis)) / max(1, cuts.extent)
        if share < 1:
            rounds[axis] = pace.dim, share
    return rounds


def _is_steady(reader: Step, at: int, moves: InputStrides) -> bool:
    """Whether the reader's blocks at corners read one box each, where its paces say."""
    if len(_first_cell(reader, at)) != 1:
        return False
    last = tuple([n - 1 for n in reader.grid_shape])
    edges = [tuple([n * (d == dim) for d, n in enumerate(last)]) for dim in range(len(last))]
    for index in ((0,) * len(last), *edges, last):
        boxes = reader.program.input_boxes(reader.box(index))[at]
        if len(boxes) != 1 or any(
            not _contains(_span(reader, at, moves, axis, index[pace.dim]), boxes[0], axis)
            for axis, pace in moves.paces.items()
        ):
            return False
    return True


def _contains(span: tuple[int, int], box: ZRange, axis: int) -> bool:
    return span[0] <= box.lo[axis] and box.hi[axis] <= span[1]


def _spans(reader: Step, at: int, moves: InputStrides, axis: int) -> Iterator[tuple[int, int]]:
    """What each row of the reader's blocks reads of an axis, in order."""
    count = reader.cuts[moves.paces[axis].dim].count
    found = [_span(reader, at, moves, axis, number) for number in range(count)]
    return iter(found if moves.paces[axis].cells > 0 else found[::-1])


def _span(reader: Step, at: int, moves: InputStrides, axis: int, number: int) -> tuple[int, int]:
    """What the reader's blocks `number` along a dimension read of the axis that it moves."""
    dim, cells, start = moves.paces[axis]
    (cell,) = _first_cell(reader, at)
    length = cell.hi[axis] - cell.lo[axis]
    a, b = reader.cuts[dim].block(number)
    ends = start + a * cells, start + (b - 1) * cells
    return min(ends), max(ends) + length


def _first_cell(reader: Step, at: int) -> tuple[ZRange, ...]:
    """What the first cell of the reader's value needs of an input; nothing where that is empty."""
    first = ZRange((0,) * len(reader.cuts), (1,) * len(reader.cuts))
    return reader.program.input_boxes(first)[at]


def _longest_round(cuts: Cuts, spans: Iterator[tuple[int, int]]) -> int:
    """Cells of the most blocks in a row that spans link."""
    rounds: list[tuple[int, int]] = []
    for lo, hi in spans:
        first, end = cuts.overlapping(max(0, lo), min(hi, cuts.extent))
        if rounds and first < rounds[-1][1]:
            rounds[-1] = rounds[-1][0], max(end, rounds[-1][1])
        else:
            rounds.append((first, end))
    return max(cuts.block(end - 1)[1] - cuts.block(first)[0] for first, end in rounds)
