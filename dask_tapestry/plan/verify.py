"""Verification: what must be true of a plan before its first task, without writing tasks out.

Each constraint is a function of a step, named for what it states, that yields its violations. Cuts
are checked one dimension at a time and projections on whole dimensions, so the work grows with the
number of operators, not of blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from dask.utils import format_bytes

from dask_tapestry.config import setting
from dask_tapestry.errors import MemoryLimitError, PlanError
from dask_tapestry.plan.memory import peak_worker_bytes
from dask_tapestry.plan.own_peaks import limits_are_kept
from dask_tapestry.plan.step import PlannedSteps, Step
from dask_tapestry.teg import BlockOperator, Sink
from dask_tapestry.teg.operator import signature_of

Check = Callable[[Step], Iterator[str]]


def outputs_are_tiled_once(step: Step) -> Iterator[str]:
    """Cuts of every dimension begin at 0, end at the extent and do not overlap."""
    for axis, (cut, extent) in enumerate(zip(step.cuts, step.node.type.shape, strict=True)):
        ends = [cut.block(0), cut.block(cut.count - 1)]
        if cut.extent != extent or ends[0][0] != 0 or ends[-1][1] != extent:
            yield f"cuts {cut} of axis {axis} do not tile {extent} cells"
        for number in {0, 1, cut.count // 2, cut.count - 2}:
            within = 0 <= number < cut.count - 1
            if within and cut.block(number)[1] != cut.block(number + 1)[0]:
                yield f"blocks {number} and {number + 1} of axis {axis} leave a gap or overlap"
        if cut.edges and any(a >= b for a, b in zip(cut.edges, cut.edges[1:], strict=False)):
            yield f"edges of axis {axis} do not ascend"


def projections_tile_outputs(step: Step) -> Iterator[str]:
    """Each block operator's output projection covers its output exactly."""
    for instruction in step.program.instructions:
        operator = instruction.operator
        if not isinstance(operator, BlockOperator) or not instruction.type.size:
            continue
        signature = signature_of(operator, instruction.types)
        (output,) = signature.outputs
        for axis, extent in enumerate(instruction.type.shape):
            dim = signature.owner(0, axis)
            step_, width = (0, 0) if dim is None else (output.matrix[axis][dim], output.shape[axis])
            count = 1 if dim is None else signature.index[dim].extent
            if dim is not None and (step_ != width or step_ * count != extent):
                yield f"{operator.name} writes axis {axis} of {instruction.type} not exactly once"


def inputs_are_in_bounds(step: Step) -> Iterator[str]:
    """The first, a middle and the last block read inside every value."""
    shape = step.grid_shape
    for index in {(0,) * len(shape), tuple(n // 2 for n in shape), tuple(n - 1 for n in shape)}:
        box = step.box(index)
        for type_, boxes in zip(step.program.types, step.program.schedule(box).boxes, strict=True):
            for read in boxes:
                if not type_.box.contains(read):
                    yield f"block {box} reads {read} of {type_}"


def sinks_write_whole_pieces(step: Step) -> Iterator[str]:
    """Every cut of a sink lies between stored pieces."""
    operator = step.node.operator
    if not isinstance(operator, Sink):
        return
    for axis, (cut, side) in enumerate(zip(step.cuts, operator.chunks, strict=True)):
        regular = not cut.edges and cut.lead % side == 0 and (cut.step % side == 0 or cut.count < 3)
        if cut.count > 1 and not regular and any(e % side for e in cut.inner_edges()):
            yield f"cuts {cut} of axis {axis} divide stored pieces of {side}"


CHECKS: tuple[Check, ...] = (
    outputs_are_tiled_once,
    projections_tile_outputs,
    inputs_are_in_bounds,
    sinks_write_whole_pieces,
)


def verify(plan: PlannedSteps) -> None:
    """Run all checks.

    Raises
    ------
    MemoryLimitError
        If a worker would need more memory than it has.
    PlanError
        For any other broken constraint, which it names with operator and box.
    """
    for step in plan.steps.values():
        for check in CHECKS:
            for violation in check(step):
                where = f" ({step.node.line})" if step.node.line else ""
                raise PlanError(f"{check.__name__}: {step.node.operator.name}: {violation}{where}")
    peak, limit = peak_worker_bytes(plan), plan.resources.usable_bytes
    if peak > limit:
        raise MemoryLimitError(
            f"peak_memory_is_bounded: the plan needs {format_bytes(peak)} on one worker, which has "
            f"{format_bytes(limit)} for it; give it more memory or more workers, or write to a "
            "store"
        )
    for violation in limits_are_kept(plan):
        raise PlanError(f"limits_are_kept: {violation}")
    tasks, most = sum(s.count for s in plan.steps.values()), setting("max-tasks")
    if tasks > most:
        raise PlanError(f"tasks_are_few: {tasks:,} tasks, more than max_tasks={most:,}")
