"""Strides of access: how boxes that a step reads move with the blocks of its output.

Blocks that differ only in dimensions that move no box of an input read the same box: a worker
fetches it once for all of them, as with the weights of a layer whose rows alone are cut. Where a
step along a dimension moves a box by whole cells, cuts of the one are cuts of the other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from dask_tapestry.steps.instruction_schedule import InstructionSchedule
from dask_tapestry.steps.program import Program
from dask_tapestry.zspace import Cuts, ZRange

Boxes = Sequence[tuple[ZRange, ...]]
"""Of each value of a program, the boxes that are needed."""


class AxisStride(NamedTuple):
    """The dimension of the output that moves an axis, by how many cells a step, from `start`."""

    dim: int
    cells: int
    start: int


class InputStrides(NamedTuple):
    """How the boxes read of one input move.

    Attributes
    ----------
    dims
        Dimensions of the output that move them.
    paces
        For each axis of the input that one dimension moves steadily, how.
    """

    dims: frozenset[int]
    paces: Mapping[int, AxisStride]

    def pulled(self, shape: tuple[int, ...], grid: tuple[Cuts, ...]) -> tuple[Cuts, ...]:
        """Cuts of the input, of `shape`, whose blocks the blocks of `grid` read."""
        output_cuts = []
        for axis, extent in enumerate(shape):
            cuts = Cuts.regular(extent, max(extent, 1))
            pace = self.paces.get(axis)
            if pace and pace.cells > 0 and not grid[pace.dim].edges and grid[pace.dim].count > 1:
                own = grid[pace.dim]
                lead = min(max(1, pace.start + own.lead * pace.cells), max(extent, 1))
                cuts = Cuts.regular(extent, max(1, own.step * pace.cells), lead)
            output_cuts.append(cuts)
        return tuple(output_cuts)

    def pushed(self, shape: tuple[int, ...], held: tuple[Cuts, ...]) -> tuple[Cuts, ...]:
        """Cuts of the output, of `shape`, whose blocks read the blocks `held` of the input."""
        input_cuts = [Cuts.regular(extent, max(extent, 1)) for extent in shape]
        for axis, pace in self.paces.items():
            own, cells = held[axis], pace.cells
            if cells > 0 and not own.edges and own.count > 1 and not own.step % cells:
                lead = max(1, -(-(own.lead - pace.start) // cells))
                input_cuts[pace.dim] = Cuts.regular(shape[pace.dim], own.step // cells, lead)
        return tuple(input_cuts)


@lru_cache(maxsize=1024)
def movement(program: Program) -> tuple[InputStrides, ...]:
    """How the boxes of each external input move."""
    shape = program.type.shape
    dims: list[set[int]] = [set() for _ in program.inputs]
    paces: list[dict[int, AxisStride]] = [{} for _ in program.inputs]
    if 0 not in shape:
        origin = _boxes_at(program, (0,) * len(shape))
        for dim, extent in enumerate(shape):
            for index in sorted({1, extent - 1} - {0}) if extent > 1 else ():
                there = _boxes_at(
                    program, tuple(index if d == dim else 0 for d in range(len(shape)))
                )
                for number in range(len(program.inputs)):
                    here, moved = origin.boxes[number], there.boxes[number]
                    if here == moved:
                        continue
                    dims[number].add(dim)
                    if index == 1 and len(here) == len(moved) == 1:
                        _note(paces[number], dim, here[0], moved[0])
            _note_first_of_several(program, dim, paces)
    return tuple(InputStrides(frozenset(d), p) for d, p in zip(dims, paces, strict=True))


def _note_first_of_several(program: Program, dim: int, paces: list[dict[int, AxisStride]]) -> None:
    """Note inputs of which several boxes are read, as in ``x + x.T``, by their first box."""
    if program.type.shape[dim] < 2:
        return
    here, there = neighbours(program, dim, ends=True)
    for number, own in enumerate(paces):
        is_known = any(pace.dim == dim for pace in own.values())
        if not is_known and len(here[number]) == len(there[number]) > 1:
            _note(own, dim, here[number][0], there[number][0])
            if not any(pace.dim == dim for pace in own.values()):
                _note_inside(program, dim, number, own)


def _note_inside(program: Program, dim: int, number: int, paces: dict[int, AxisStride]) -> None:
    """Where several boxes are read at the ends alone, as by windows that wrap, the middle tells.

    A window is where its middle is: then blocks lie above those that they read most of.
    """
    middle = tuple([extent // 2 for extent in program.type.shape])
    moved = tuple([place + (d == dim) for d, place in enumerate(middle)])
    if moved[dim] >= program.type.shape[dim]:
        return
    here, there = (_boxes_at(program, place).boxes[number] for place in (middle, moved))
    if len(here) != 1 or len(there) != 1:
        return
    for axis, (a, b, end) in enumerate(zip(here[0].lo, there[0].lo, here[0].hi, strict=True)):
        if a != b:
            paces[axis] = AxisStride(dim, b - a, (a + end - 1) // 2 - (b - a) * middle[dim])


def _note(paces: dict[int, AxisStride], dim: int, here: ZRange, moved: ZRange) -> None:
    for axis, (a, b) in enumerate(zip(here.lo, moved.lo, strict=True)):
        if a != b:
            paces[axis] = AxisStride(dim, b - a, a)


@lru_cache(maxsize=4096)
def neighbours(
    program: Program, dim: int, ends: bool = False, distance: int = 1
) -> tuple[Boxes, Boxes]:
    """The boxes of each value that two cells along a dimension need: the first, and one further on.

    These are the first cells along the other dimensions, too, or with `ends` the last ones.
    """
    shape = program.type.shape
    at = [n - 1 if ends else 0 for n in shape]
    first, second = (tuple([n if d == dim else a for d, a in enumerate(at)]) for n in (0, distance))
    return _boxes_at(program, first).boxes, _boxes_at(program, second).boxes


def moves_along(
    program: Program, dim: int, axes: Sequence[tuple[int, Sequence[int]]], distance: int
) -> bool:
    """Whether a cell further along a dimension takes other cells of values, along `axes` of each.

    These are named by the number of the value.
    """
    ends = neighbours(program, dim, distance=distance)

    def spans(boxes: Sequence[ZRange], own: Sequence[int]) -> list[tuple[int, int]]:
        return [(box.lo[axis], box.hi[axis]) for box in boxes for axis in own]

    return any(spans(ends[0][at], own) != spans(ends[1][at], own) for at, own in axes)


def _boxes_at(program: Program, lo: tuple[int, ...]) -> InstructionSchedule:
    return program.schedule(ZRange(lo, tuple([a + 1 for a in lo])), rounded=False)
