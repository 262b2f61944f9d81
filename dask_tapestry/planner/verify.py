"""Verification: what must be true of a plan before its first task, without writing tasks out.

Each constraint is a function of a step, named for what it states, that yields its violations. Cuts
are checked one dimension at a time, projections on whole dimensions and boxes by classes of blocks
that are alike, so the work grows with the number of operators, not of blocks, and no block is taken
for another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise

from dask.utils import format_bytes

from dask_tapestry.errors import MemoryLimitError, PlanError
from dask_tapestry.planner.access.access import Access
from dask_tapestry.planner.access.bounds import read_outside
from dask_tapestry.planner.cost.step import PlannedSteps, Step
from dask_tapestry.planner.memory.bound import peak_memory_is_bounded, with_workers_filled
from dask_tapestry.planner.memory.memory import fullest_workers
from dask_tapestry.planner.memory.results import ResultMemory, copied_bytes
from dask_tapestry.planner.memory.user_resource_peaks import limits_are_kept
from dask_tapestry.settings import setting
from dask_tapestry.teg import BlockOperator, Sink
from dask_tapestry.teg.operator import signature_of
from dask_tapestry.teg.signature import Kind, Signature

Check = Callable[[Step], Iterator[str]]


def outputs_are_tiled_once(step: Step) -> Iterator[str]:
    """Cuts of every dimension begin at 0, end at the extent and do not overlap."""
    for axis, (cut, extent) in enumerate(zip(step.cuts, step.node.type.shape, strict=True)):
        edges = cut.edges or (0, cut.extent)
        if cut.extent != extent or (edges[0], edges[-1]) != (0, extent):
            yield f"cuts {cut} of axis {axis} do not tile {extent} cells"
        elif cut.edges and any(a >= b for a, b in pairwise(edges)):
            yield f"edges of axis {axis} do not ascend"
        elif not cut.edges and (cut.step < 1 or not 1 <= cut.lead <= max(extent, 1)):
            yield f"cuts of axis {axis} begin with {cut.lead} cells, then {cut.step} each"


def projections_tile_outputs(step: Step) -> Iterator[str]:
    """Each block operator's output projection covers its output exactly."""
    for instruction in step.program.instructions:
        operator = instruction.operator
        if isinstance(operator, BlockOperator) and instruction.type.size:
            signature = signature_of(operator, instruction.types)
            for text in _not_tiled(signature, instruction.type.shape):
                yield f"{operator.name} {text} of {instruction.type}"


def _not_tiled(signature: Signature, shape: tuple[int, ...]) -> Iterator[str]:
    """What of an output a signature writes not exactly once."""
    (output,) = signature.outputs
    followed = set()
    for axis, extent in enumerate(shape):
        dim = signature.owner(0, axis)
        followed.add(dim)
        width = output.shape[axis]
        step, count = (
            (width, 1) if dim is None else (output.matrix[axis][dim], signature.index[dim].extent)
        )
        if step != width or step * count != extent or output.offset[axis]:
            yield f"writes axis {axis}, not exactly once,"
    for number, each in enumerate(signature.index):
        if each.kind is Kind.PARALLEL and each.extent > 1 and number not in followed:
            yield f"writes each cell for every step of {each.name}, which is parallel,"


def inputs_are_in_bounds(step: Step) -> Iterator[str]:
    """All blocks read inside every value."""
    found = read_outside(Access.of(step.program, step.cuts))
    if found is not None:
        yield f"block {found.block} reads {found.box} of {found.type}"


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


def verify(plan: PlannedSteps, results: ResultMemory = ResultMemory.FETCHED) -> None:
    """Run all checks.

    Parameters
    ----------
    results
        What becomes of the results once they are computed: by default they are fetched, as
        `compute` does it, in several rounds where workers cannot hold them.

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
    peak_memory_is_bounded(plan, results)
    totals_are_bounded(plan)


def totals_are_bounded(plan: PlannedSteps) -> None:
    """Raise `PlanError` if a plan has too many tasks, or takes more than the user's limits.

    Raises
    ------
    PlanError
        Names the constraint and the amounts.
    """
    for violation in limits_are_kept(plan):
        raise PlanError(f"limits_are_kept: {violation}")
    tasks, most = sum(s.count for s in plan.steps.values()), setting("max-tasks")
    if tasks > most:
        raise PlanError(f"tasks_are_few: {tasks:,} tasks, more than max_tasks={most:,}")


def replicas_fit(plan: PlannedSteps, replicas: int) -> None:
    """Raise `MemoryLimitError` if workers cannot hold the results of a plan so many times."""
    fullest = fullest_workers(with_workers_filled(plan))
    copies = copied_bytes(plan, replicas)
    if fullest.lacking(copies):
        raise MemoryLimitError(
            f"replicas_fit: {replicas} copies of the results need "
            f"{format_bytes(fullest.bytes + copies)} on one worker, which has "
            f"{format_bytes(fullest.usable)} for it; persist fewer copies, or write to a store"
        )
