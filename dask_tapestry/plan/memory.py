"""Memory of a worker: the most that it holds at a time while a plan runs."""

from __future__ import annotations

from math import prod

from dask_tapestry.plan.footprint import met_blocks
from dask_tapestry.plan.machine import IMBALANCE
from dask_tapestry.plan.step import PlannedSteps, Step
from dask_tapestry.teg import Node, Sink

MOST_PAIRED = 256  # steps that are compared in pairs: a thousand would take 70 ms


def peak_worker_bytes(plan: PlannedSteps) -> int:
    """The most bytes that one worker holds at a time.

    The sum of values that are held at the same time, spread over the workers with an imbalance
    factor; one working set for each thread; and memory that is kept to be used again.
    """
    resident = _held_together(plan)
    work = max((step.needs.work for step in plan.steps.values()), default=0)
    share = (
        resident if plan.resources.workers == 1 else resident / plan.resources.workers * IMBALANCE
    )
    threads = min(plan.resources.threads, max((s.count for s in plan.steps.values()), default=1))
    return round(share + threads * work + min(plan.resources.kept_bytes, threads * _idle(plan)))


def _held_together(plan: PlannedSteps) -> int:
    """Most bytes of steps' outputs that may be held at one time.

    Two outputs are not, where all readers of one have ended before the other's step can begin.
    """
    held = {node: resident_bytes(step, plan) for node, step in plan.steps.items()}
    if len(held) > MOST_PAIRED:
        return sum(held.values())
    ended = _ended_before(plan)
    readers: dict[Node, set[Node]] = {node: set() for node in held}
    for node, step in plan.steps.items():
        for x in step.inputs:
            readers.get(x, set()).add(node)
    roots = set(plan.graph.roots)
    most = 0
    for now in held:
        over = ended[now]
        most = max(
            most,
            sum(
                size
                for node, size in held.items()
                if now not in ended[node] and (node in roots or not readers[node] <= over)
            ),
        )
    return most


def _ended_before(plan: PlannedSteps) -> dict[Node, set[Node]]:
    """For each step, the steps that have ended when its first block can be computed."""
    ended: dict[Node, set[Node]] = {}
    for node, step in plan.steps.items():
        ended[node] = set()
        for x in step.inputs:
            if x in plan.steps:
                ended[node] |= ended[x]
                if _fewest_read(step, plan.steps[x]) == plan.steps[x].count:
                    ended[node].add(x)
    return ended


def _fewest_read(reader: Step, step: Step) -> int:
    """Fewest blocks of `step` that the first or the last block of `reader` reads."""
    at = reader.inputs.index(step.node)
    ends = (0,) * len(reader.cuts), tuple(n - 1 for n in reader.grid_shape)
    boxes = [reader.program.input_boxes(reader.box(end))[at] for end in ends]
    return min(sum(met_blocks(b, step.cuts) for b in found) for found in boxes)


def _idle(plan: PlannedSteps) -> int:
    """Bytes of used memory that may lie idle while a block of another kind takes the most."""
    needs = [step.needs for step in plan.steps.values()]
    apart = max((n.used for n in needs), default=0) + max((n.fresh for n in needs), default=0)
    return max(0, apart - max((n.work for n in needs), default=0))


def resident_bytes(step: Step, plan: PlannedSteps) -> int:
    """Bytes of a step's output that are held at once.

    A value that is read block by block is freed block by block; results, and values that a block
    of a reader reads whole, are held whole.
    """
    node = step.node
    if isinstance(node.operator, Sink):
        return 0
    if node in plan.graph.roots:
        return node.type.nbytes
    block = node.type.dtype.itemsize * prod(c.longest for c in step.cuts)
    streaming = plan.resources.slots * 4 * block
    whole = any(
        _reads_many(reader, step) for reader in plan.steps.values() if node in reader.inputs
    )
    return node.type.nbytes if whole else min(node.type.nbytes, streaming)


def _reads_many(reader: Step, step: Step) -> bool:
    """Whether one block of `reader` reads more blocks of `step` than a neighbourhood."""
    box = reader.box((0,) * len(reader.cuts))
    at = reader.inputs.index(step.node)
    boxes = reader.program.input_boxes(box)[at]
    return any(met_blocks(b, step.cuts) > 2 ** max(len(step.cuts), 1) for b in boxes)
