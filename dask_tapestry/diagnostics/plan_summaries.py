"""The summary of a plan: its numbers, and in words what only its steps know."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from hashlib import blake2b
from itertools import islice
from typing import Any, TypeAlias

import numpy as np
from dask.utils import format_bytes

from dask_tapestry.diagnostics.block_summaries import chosen_block, told_blocks
from dask_tapestry.diagnostics.charts import thinned
from dask_tapestry.diagnostics.plan_summary import NodeSummary, PlanSummary, StepSummary
from dask_tapestry.diagnostics.signature_summaries import told_signatures
from dask_tapestry.diagnostics.step_text import (
    decided,
    grid_text,
    operators,
    runner_up,
    seconds_by_kind,
    sources,
)
from dask_tapestry.diagnostics.step_words import step_words, words_of
from dask_tapestry.diagnostics.tuning import (
    DIGESTED_BYTES,
    MOST_EDGES_LISTED,
    PARAMETER_LETTERS,
    REPEATED_READS,
    STEPS_IN_DETAIL,
)
from dask_tapestry.errors import PlanError
from dask_tapestry.planner.cost.step import Step
from dask_tapestry.planner.machine.machine import Machine
from dask_tapestry.planner.memory.result_transfer import gathered
from dask_tapestry.planner.memory.simulate import simulate
from dask_tapestry.planner.plan import PlannedGraph
from dask_tapestry.planner.rewriting.host_parts import HOST
from dask_tapestry.planner.tuning import IMBALANCE
from dask_tapestry.steps.device_values import host_paths
from dask_tapestry.teg import Graph, Node, Source
from dask_tapestry.teg.node import device_of
from dask_tapestry.teg.operator import Operator
from dask_tapestry.zspace import Cuts

WrittenNode: TypeAlias = tuple[tuple[str, ...], str | None]  # the user's words, and the line


def plan_summary(plan: PlannedGraph) -> PlanSummary:
    """What explanations and comparisons say of a plan."""
    number = {node: i for i, node in enumerate(plan.steps, start=1)}
    readers = _readers(plan)
    moved = _moved_to_host(plan)
    steps = tuple(_step(step, number, readers, moved) for step in plan.steps.values())
    transfer = gathered(plan)
    return PlanSummary(
        str(plan.resources),
        repr(Machine.of(plan.resources).rates),
        plan.cost,
        steps,
        (transfer.bytes, transfer.blocks, transfer.seconds),
        memory_bytes=float(plan.resources.usable_bytes),
    )


def told_whole(plan: PlannedGraph) -> PlanSummary:
    """The summary with what only pages and files show: a simulated run, operators, some blocks."""
    short, run = plan_summary(plan), simulate(plan)
    whole = len(short.steps) <= STEPS_IN_DETAIL
    steps = []
    for one, step, times in zip(short.steps, plan.steps.values(), run.steps, strict=True):
        more = one._replace(begin=times.begin, end=times.end, inside=_step_operators(step))
        if whole:
            more = more._replace(signatures=told_signatures(step), examples=told_blocks(step))
        steps.append(more)
    chosen = {**plan.cost, "seconds": sum(s.estimate.seconds for s in plan.steps.values())}
    number = {node: i for i, node in enumerate(plan.graph.nodes)}
    return short._replace(
        steps=tuple(steps),
        memory=thinned(run.memory),
        memory_bytes=float(run.memory_bytes),
        points=tuple(dict(point.cost) for point in plan.points),
        chosen=chosen,
        nodes=told_nodes(plan.graph),
        roots=tuple(number[root] for root in plan.graph.roots),
    )


def with_blocks(plan: PlannedGraph, summary: PlanSummary, blocks: Mapping[int, Any]) -> PlanSummary:
    """The summary with chosen blocks of some steps first; steps are numbered from 1.

    Raises
    ------
    PlanError
        If there is no such step, or no such block.
    """
    steps, known = list(summary.steps), list(plan.steps.values())
    for number, index in blocks.items():
        if type(number) is not int or not 1 <= number <= len(steps):
            raise PlanError(f"blocks names step {number!r}: the plan has steps 1 to {len(steps)}")
        chosen, one = chosen_block(known[number - 1], index), steps[number - 1]
        others = tuple(block for block in one.examples if block.block != chosen.block)
        steps[number - 1] = one._replace(examples=(chosen, *others))
    return summary._replace(steps=tuple(steps))


def told_nodes(graph: Graph) -> tuple[NodeSummary, ...]:
    """A graph as data."""
    number = {node: i for i, node in enumerate(graph.nodes)}
    return tuple(
        NodeSummary(
            node.operator.name,
            parameters(node.operator),
            str(node.type),
            node.line or "",
            tuple(words_of(node)),
            tuple(number[x] for x in node.inputs),
            tuple(number[x] for x in node.after),
        )
        for node in graph.nodes
    )


def parameters(operator: Operator) -> str:
    """The parameters of an operator: as the graph prints them, with what is large described.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> parameters((dt.ones(3) * 2).node.operator)
    'multiply($0, 2.0)'
    """
    text = operator.text()
    if not isinstance(operator, Source):
        names = getattr(type(operator), "__dataclass_fields__", ())
        large = [(name, getattr(operator, name, None)) for name in names]
        told = [f"{name}={described(x)}" for name, x in large if isinstance(x, np.ndarray)]
        text = ", ".join([*([text] if text else []), *told])
    return text if len(text) <= PARAMETER_LETTERS else f"{text[: PARAMETER_LETTERS - 1]}…"


def described(constant: np.ndarray[Any, Any]) -> str:
    """An array by its dtype, shape and, of plain cells that are few enough, digest.

    Examples
    --------
    >>> described(np.arange(3, dtype="int8"))
    'int8[3] #fce3'
    """
    text = f"{constant.dtype}{list(constant.shape)}"
    if constant.dtype.hasobject or constant.nbytes > DIGESTED_BYTES:
        return text
    cells = np.ascontiguousarray(constant).tobytes()
    return f"{text} #{blake2b(cells, digest_size=2).hexdigest()}"


def _readers(plan: PlannedGraph) -> dict[Node, list[int]]:
    """The numbers of the steps that read each source of the graph."""
    found: dict[Node, list[int]] = {}
    for number, step in enumerate(plan.steps.values(), start=1):
        for node in _sources(step, plan.steps):
            if node.operator.stored_cuts is not None:
                found.setdefault(node, []).append(number)
    return {node: numbers for node, numbers in found.items() if len(numbers) > 1}


def _sources(step: Step, steps: Mapping[Node, Any]) -> list[Node]:
    """The sources that a step reads itself: not from another step, which has read them."""
    outside = (x for x in step.inputs if x not in steps)
    reads = dict.fromkeys((*step.members, *outside))
    return [node for node in reads if isinstance(node.operator, Source)]


def _moved_to_host(plan: PlannedGraph) -> frozenset[WrittenNode]:
    """What the host computes though it could be a device's."""
    return frozenset(_written(c.before) for c in plan.rewrites if c.rule == HOST)


def _written(node: Node) -> WrittenNode:
    return tuple(words_of(node)), node.line


def _step(
    step: Step,
    number: Mapping[Node, int],
    readers: Mapping[Node, list[int]],
    moved: frozenset[WrittenNode],
) -> StepSummary:
    cost, second = step.cost, runner_up(step)
    return StepSummary(
        digest=step.node.digest,
        words=step_words(step.program.instructions, step.node),
        chain=operators(step),
        label=step.node.operator.label,
        type=str(step.node.type),
        dims=tuple(_dim(cuts) for cuts in step.cuts),
        grid=grid_text(step.cuts),
        blocks=step.count,
        slices=cost.slices,
        edges=cost.edges,
        tasks=cost.tasks,
        parts=round(cost.parts),
        decided=decided(step),
        place=_place(step),
        alone=step.machine.alone,
        counted=cost.counted,
        again=(
            *_within_hosts(step),
            *_of_device(step, moved),
            *_why_again(step),
            *_shared_reads(step, number, readers),
        ),
        second="" if second is None else f"{second.text}, {second.why}",
        seconds=float(cost.seconds),
        kinds=tuple(seconds_by_kind(cost).values()),  # type: ignore[arg-type]
        read=float(cost.read),
        moved=float(cost.moved),
        written=float(cost.written),
        work=float(cost.work),
        inputs=tuple(sources(step, number)),
    )


def _place(step: Step) -> str:
    """Which workers compute a step, and which device of theirs."""
    device = step.program.device
    return " of ".join(filter(None, (device.device if device else "", step.place)))


def _within_hosts(step: Step) -> Iterator[str]:
    """What is said of bytes that workers of one of several hosts hand each other."""
    within = round(step.moved_within_hosts)
    far = round(step.cost.moved) - within
    if within and far:
        yield f"of what is moved {format_bytes(within)} within hosts, {format_bytes(far)} between"


def _of_device(step: Step, moved: frozenset[WrittenNode]) -> Iterator[str]:
    """What is said of a device: what crosses the link, and what the host computes of its work."""
    known = [m for m in step.members if moved and _written(m) in moved]
    own = [m for m in known if device_of(m) is None and not m.operator.is_selector]
    words = dict.fromkeys(word for member in own for word in words_of(member))
    if words:
        why = "with a device it takes longer or does not fit"
        yield f"computes {', '.join(words)} on the host: {why}"
    if step.program.device is None:
        return
    if step.cost.crossed:
        yield f"{format_bytes(round(step.cost.crossed))} between host and device"
    for one, why in host_paths(step.program):
        yield f"computes {one.operator.label} on the host: the device has {why}"


def _why_again(step: Step) -> Iterator[str]:
    """What is said where workers cannot hold what is stored, and so read it again."""
    values = zip(step.program.instructions, step.program.lasting, strict=True)
    stored = sum(i.type.nbytes for i, lasts in values if lasts.is_source and lasts.stored)
    machine = step.machine
    share = IMBALANCE * stored / machine.workers
    if stored and step.cost.read > REPEATED_READS * stored and share > machine.usable:
        yield (
            f"reads each stored byte {step.cost.read / stored:.1f} times: to be exchanged, "
            f"{format_bytes(round(share))} would be held by a worker, which has "
            f"{format_bytes(machine.usable)} for it"
        )


def _shared_reads(
    step: Step, number: Mapping[Node, int], readers: Mapping[Node, list[int]]
) -> Iterator[str]:
    """What is said of sources that other steps read too, and do not hold for this one."""
    own = number[step.node]
    for node in _sources(step, number):
        other_readers = [n for n in readers.get(node, ()) if n != own]
        if not other_readers:
            continue
        shown = ", ".join(map(str, other_readers[:3])) + (", …" if len(other_readers) > 3 else "")
        share = IMBALANCE * node.type.nbytes / step.machine.workers
        usable = step.machine.usable
        why = (
            f"{format_bytes(round(share))} of it a worker would have to be held, which has "
            f"{format_bytes(usable)} for it"
            if share > usable
            else "to read it again takes no longer than to hold and hand it on"
        )
        steps = f"step{'s' * (len(other_readers) > 1)} {shown}"
        yield f"reads {node.operator.label} {node.type}, as {steps}: {why}"


def _step_operators(step: Step) -> tuple[NodeSummary, ...]:
    return tuple(
        NodeSummary(
            instruction.operator.label,
            parameters(instruction.operator),
            str(instruction.type),
            instruction.line or "",
            tuple(words_of(instruction)),
            tuple(instruction.inputs),
        )
        for instruction in step.program.instructions
    )


def _dim(cuts: Cuts) -> tuple[int, int, int, int, tuple[int, ...]]:
    every = max(1, len(cuts.edges) // MOST_EDGES_LISTED)
    edges = tuple(islice(cuts.edges, 0, None, every))
    return cuts.extent, cuts.count, cuts.step, cuts.lead, edges
