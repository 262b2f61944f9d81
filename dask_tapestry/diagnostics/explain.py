"""A plan as text: steps, grids, bytes, seconds and reasons."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from dask.utils import format_bytes

from dask_tapestry.diagnostics.step_text import (
    counted,
    decided,
    duration,
    grid_text,
    operators,
    runner_up,
    seconds_by_kind,
    sources,
)
from dask_tapestry.planner.cost.step import Step
from dask_tapestry.planner.machine.machine import IMBALANCE
from dask_tapestry.planner.memory.gathered import gathered
from dask_tapestry.planner.plan import Plan
from dask_tapestry.teg import Node

AGAIN: Final = 1.5  # times that stored bytes are read, from which it is said why
NEGLIGIBLE: Final = 0.01  # of a step's seconds; what takes less is not named
LARGE: Final = 2**20  # bytes of results; what less takes is not named
COSTS: Final = frozenset(
    (
        "seconds",
        "compute_seconds",
        "bytes_read",
        "bytes_written",
        "bytes_moved",
        "memory_bytes",
        "peak_worker_bytes",
        "peak_worker_compute",
        "memory_waste",
        "compute_waste",
        "result_bytes",
        "result_seconds",
        "tasks",
    )
)  # that every plan has; others are the users' own


def explain(plan: Plan) -> str:
    """Write the plan as text: what runs, how it is cut, what that takes, and why."""
    number = {node: i for i, node in enumerate(plan.steps, start=1)}
    lines = [f"plan for {plan.resources}", f"  {headline(plan)}"]
    for node, step in plan.steps.items():
        lines.append(f"step {number[node]}: {operators(step)} -> {node.type}")
        lines += [f"  {line}" for line in _step_lines(step, number)]
    lines += _result_lines(plan)
    return "\n".join(lines)


def headline(plan: Plan) -> str:
    """Totals of a plan in one line."""
    cost = plan.cost
    own = [f"; {name} {value:,.4g}" for name, value in cost.items() if name not in COSTS]
    return (
        f"{counted(int(cost['tasks']), 'task')} in {counted(len(plan.steps), 'step')}, about "
        f"{duration(cost['seconds'])}; read {format_bytes(int(cost['bytes_read']))}, move "
        f"{format_bytes(int(cost['bytes_moved']))}, "
        f"write {format_bytes(int(cost['bytes_written']))}, "
        f"peak {format_bytes(int(cost['peak_worker_bytes']))} a worker" + "".join(own)
    )


def _result_lines(plan: Plan) -> Iterator[str]:
    """What bringing the results to the client takes, if it takes long."""
    found = gathered(plan)
    if found.bytes >= LARGE and found.seconds > NEGLIGIBLE * plan.cost["seconds"]:
        yield (
            f"results: {format_bytes(found.bytes)} in {counted(found.blocks, 'block')}, which "
            f"compute() brings to this process in about {duration(found.seconds)} more"
        )


def _step_lines(step: Step, number: Mapping[Node, int]) -> Iterator[str]:
    """What is said of a step, below its name."""
    cost = step.cost
    slices = f" and {counted(cost.slices, 'slice')}" if cost.slices else ""
    edges = f", {counted(cost.edges, 'edge')}" if cost.edges else ""
    where = f" on {step.place}" if step.place else ""
    blocks = f"{counted(step.count, 'block')}{where}{slices}{edges}"
    yield f"{blocks}: {grid_text(step.cuts)} ({decided(step)})"
    least = NEGLIGIBLE * cost.seconds
    kinds = [f"{kind} {duration(s)}" for kind, s in seconds_by_kind(cost).items() if s > least]
    yield f"about {duration(cost.seconds)}: {', '.join(kinds) or 'nothing to do'}"
    moves = {"read": cost.read, "moved": cost.moved, "written": cost.written}
    carried = [f"{format_bytes(round(n))} {what}" for what, n in moves.items() if n >= 1]
    alone = ", one at a time on a worker" if step.machine.alone else ""
    yield f"{', '.join([*carried, f'{format_bytes(cost.work)} held by a block'])}{alone}"
    yield from _why_again(step)
    second = runner_up(step)
    if second is not None:
        yield f"next best: {second.text}, {second.why}"
    if not cost.counted:
        yield "bytes, slices and edges are not counted, as its blocks are too unlike each other"
    if step.inputs:
        yield f"reads {', '.join(sources(step, number))}"


def _why_again(step: Step) -> Iterator[str]:
    """What is said where workers cannot hold what is stored, and so read it again."""
    values = zip(step.program.instructions, step.program.lasting, strict=True)
    stored = sum(i.type.nbytes for i, lasts in values if lasts.is_source and lasts.stored)
    machine = step.machine
    share = IMBALANCE * stored / machine.workers
    if stored and step.cost.read > AGAIN * stored and share > machine.usable:
        yield (
            f"reads each stored byte {step.cost.read / stored:.1f} times: to be exchanged, "
            f"{format_bytes(round(share))} would be held by a worker, which has "
            f"{format_bytes(machine.usable)} for it"
        )
