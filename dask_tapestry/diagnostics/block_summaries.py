"""Some blocks of a step, with the slices that each reads and writes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from dask_tapestry.diagnostics.plan_summary import BlockSummary
from dask_tapestry.diagnostics.tuning import BLOCK_SLICES_SHOWN
from dask_tapestry.errors import PlanError
from dask_tapestry.planner.cost.step import Step
from dask_tapestry.zspace import ZRange


def told_blocks(step: Step) -> tuple[BlockSummary, ...]:
    """The first block, the next one along each of two dimensions, one in the middle, the last.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> x = dt.placeholder((100, 6), "f8").rechunk((30, 6))
    >>> (step,) = dt.plan(x).core.steps.values()
    >>> [(one.block, one.writes) for one in told_blocks(step)][-1]
    ((3, 0), '[90:100, 0:6]')
    """
    if not all(cuts.count for cuts in step.cuts):
        return ()
    return tuple(_block(step, index) for index in _indices(step.grid_shape))


def chosen_block(step: Step, index: Sequence[int]) -> BlockSummary:
    """The block of a step at an index of its grid.

    Raises
    ------
    PlanError
        If the grid has no such block.
    """
    shape, given = step.grid_shape, tuple(index) if isinstance(index, Sequence) else index
    known = isinstance(given, tuple) and len(given) == len(shape)
    if not known or not all(i in range(n) for i, n in zip(given, shape, strict=True)):
        raise PlanError(f"blocks names {index!r}: the step has a grid of {shape} blocks")
    return _block(step, given)


def _indices(shape: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    last = tuple(n - 1 for n in shape)
    found = {(0,) * len(shape): None}
    for axis in [a for a, n in enumerate(shape) if n > 1][-2:]:
        found[tuple(int(a == axis) for a in range(len(shape)))] = None
    found[tuple(n // 2 for n in last)] = None
    found[last] = None
    return iter(found)


def _block(step: Step, index: tuple[int, ...]) -> BlockSummary:
    box, program = step.box(index), step.program
    boxes, count = program.schedule(box).boxes, len(step.inputs)
    labelled_boxes = chain(
        zip([x.operator.label for x in step.inputs], boxes[:count], strict=True),
        (
            (instruction.operator.label, source_boxes)
            for instruction, source_boxes in zip(program.instructions, boxes[count:], strict=True)
            if not instruction.inputs
        ),
    )
    reads = [(label, _text(part)) for label, parts in labelled_boxes for part in parts]
    return BlockSummary(tuple(index), _text(box), tuple(reads[:BLOCK_SLICES_SHOWN]))


def _text(box: ZRange) -> str:
    return str(box)
