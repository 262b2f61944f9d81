"""Memory of a worker: the most that it holds at a time while a plan runs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from math import ceil, prod
from typing import NamedTuple

from dask_tapestry.plan.cost.footprint import met_blocks
from dask_tapestry.plan.cost.step import PlannedSteps, Step
from dask_tapestry.plan.fusion.given import is_sent, scatter_cuts
from dask_tapestry.plan.fusion.group import is_external
from dask_tapestry.plan.machine.limits import TOGETHER
from dask_tapestry.plan.machine.machine import IMBALANCE, Machine
from dask_tapestry.plan.machine.worker_group import WorkerGroup
from dask_tapestry.teg import Node, Sink
from dask_tapestry.zspace import Cuts

MOST_PAIRED = 256  # steps that are compared in pairs: a thousand would take 70 ms


class Fullest(NamedTuple):
    """The workers whose memory is fullest.

    Attributes
    ----------
    bytes, usable
        The most bytes that one of them holds at a time, and how many a plan may.
    place
        Which of several groups they are; "" where all workers are alike.
    """

    bytes: int
    usable: int
    place: str = ""

    @property
    def fits(self) -> bool:
        """Whether they hold no more than a plan may."""
        return self.bytes <= self.usable


def fullest_workers(plan: PlannedSteps, at_most: bool = False) -> Fullest:
    """The workers that hold most of what they may.

    With `at_most` they hold no more than that: slices are not counted, but taken to be cut by all
    steps that may.
    """
    resources = plan.resources
    if not resources.groups:
        return Fullest(_peak(plan, resources.kinds[0], "", at_most), resources.usable_bytes)
    found = [
        Fullest(_peak(plan, g, g.place, at_most), resources.usable_by(g), g.place)
        for g in resources.kinds
    ]
    return max(found, key=lambda one: one.bytes / one.usable)


def peak_worker_bytes(plan: PlannedSteps) -> int:
    """The most bytes that one worker holds at a time, of those whose memory is fullest."""
    return fullest_workers(plan).bytes


def _peak(plan: PlannedSteps, kind: WorkerGroup, place: str, at_most: bool = False) -> int:
    """The most bytes that a worker of a kind holds at a time.

    While a step runs: the values that are held then, spread over the workers that compute them with
    an imbalance factor; the largest blocks that its threads may compute, of this step or of others
    that may run beside it; arrays that the client has sent; and memory that is kept to be used
    again. Of steps at another place it holds and computes nothing.
    """
    resources = plan.resources
    steps = {n: step for n, step in plan.steps.items() if step.machine.place in ("", place)}
    ended = _ended_before(plan) if len(plan.steps) <= MOST_PAIRED else None
    held = _all_resident(plan, ended or {})
    placed = plan.graph.roots if resources.local else ()  # in the final array
    running = [
        _Running.of(
            node, step, held[node], node in placed and step.needs.copied, kind.threads, at_most
        )
        for node, step in steps.items()
    ]
    blocks = sorted(running, key=lambda block: -block.beside)
    parts = {
        n: _of_one_worker(n, step.cuts, held[n], step.machine.hosts) for n, step in steps.items()
    }
    if len(steps) > MOST_PAIRED:
        most = sum(parts.values()) + _threads_full(blocks, kind.threads)
    else:
        before = _ended_before(plan) if ended is None else ended
        most = _most_together(plan, parts, blocks, kind.threads, before)
    idle = min(kind.threads, max((s.count for s in steps.values()), default=1)) * _idle(plan)
    given = {x for x in plan.graph.roots if x not in plan.steps and not x.is_sequence_point}
    copies = sum(x.type.nbytes for x in given) if resources.local else 0
    return round(copies + _sent_bytes(plan) + most + min(resources.kept_bytes, idle))


def _sent_bytes(plan: PlannedSteps) -> float:
    """Bytes of one worker, of arrays in the client's memory that are sent and stay to the end."""
    machine = Machine.of(plan.resources)
    read = {x for step in plan.steps.values() for x in step.inputs if is_external(x)}
    types = {x: x.type for x in read if is_sent(x, machine)}
    sent = {x: scatter_cuts(type_.shape, type_.dtype.itemsize) for x, type_ in types.items()}
    workers = plan.resources.workers
    return sum(_of_one_worker(x, cuts, x.type.nbytes, workers) for x, cuts in sent.items())


def _block_bytes(node: Node, cuts: Sequence[Cuts]) -> int:
    return node.type.dtype.itemsize * prod(c.longest for c in cuts)


class _Running(NamedTuple):
    """A block that is computed.

    Attributes
    ----------
    node
        The value that its step computes.
    together
        Blocks of the step that a worker may compute at a time.
    beside
        Bytes that it takes besides the part of the value that is held once it has ended.
    waiting
        Bytes of a worker's slices that wait for blocks of the step.
    """

    node: Node
    together: int
    beside: float
    waiting: float

    @classmethod
    def of(
        cls, node: Node, step: Step, held: int, copied: bool, threads: int, at_most: bool
    ) -> _Running:
        """A block of `step`, whose value takes `held` bytes; `copied` to where that is held."""
        block = node.type.dtype.itemsize * prod(c.longest for c in step.cuts)
        own = block if held >= node.type.nbytes and not copied else 0
        few = step.count <= step.machine.hosts and all(held is None for held in step.held)
        together = min(step.count, threads, TOGETHER if few else threads)
        return cls(node, together, max(0, step.needs.work - own), _sliced(step, threads, at_most))


def _sliced(step: Step, threads: int, at_most: bool) -> int:
    """Bytes of slices that wait on a worker: for its threads, or for another step that has to end.

    Slices are cut as soon as what they are cut from is there.
    """
    if step.machine.workers == 1 or all(own is None for own in step.held):
        return 0
    if not (at_most or step.cost.slices):
        return 0
    mine = ceil(step.count / step.machine.hosts)
    blocks = mine if len(step.inputs) > 1 else min(mine, threads)
    return blocks * (step.needs.read - step.needs.stored)


def _of_one_worker(node: Node, cuts: Sequence[Cuts], held: int, workers: int) -> float:
    """Bytes of one of `workers`, of the `held` ones of a value: its share, or whole blocks."""
    blocks = ceil(prod(c.count for c in cuts) / workers)
    return min(held, max(_share(held, workers), blocks * _block_bytes(node, cuts)))


def _share(held: float, workers: int) -> float:
    """Bytes that one of `workers` holds of `held` ones."""
    return held if workers == 1 else held / workers * IMBALANCE


def _threads_full(blocks: Iterable[_Running], threads: int) -> float:
    """Bytes of the first `blocks`, as many as there are threads."""
    total = 0.0
    for block in blocks:
        running = min(threads, block.together)
        total += running * block.beside + block.waiting
        threads -= running
        if not threads:
            break
    return total


def _most_together(
    plan: PlannedSteps,
    held: Mapping[Node, float],
    blocks: list[_Running],
    threads: int,
    ended: Mapping[Node, set[Node]],
) -> float:
    """Most bytes of a worker while any of the steps runs; of each value it holds `held` ones.

    Two values are not held together where all readers of one have ended before the other's step
    can begin; two steps do not run together where one must have `ended` before.
    """
    readers: dict[Node, set[Node]] = {node: set() for node in held}
    for node, step in plan.steps.items():
        for x in step.inputs:
            readers.get(x, set()).add(node)
    roots = set(plan.graph.roots)
    most = 0.0
    for now in plan.steps:
        over = ended[now]
        there = sum(
            size
            for node, size in held.items()
            if now not in ended[node] and (node in roots or not readers[node] <= over)
        )
        beside = (b for b in blocks if b.node not in over and now not in ended[b.node])
        most = max(most, there + _threads_full(beside, threads))
    return most


def _ended_before(plan: PlannedSteps) -> dict[Node, set[Node]]:
    """For each step, the steps that have ended when its first block can be computed."""
    ended: dict[Node, set[Node]] = {}
    needed: dict[Node, set[Node]] = {}  # steps that have ended when the last block is computed
    for node, step in plan.steps.items():
        before = [x for x in step.inputs if x in plan.steps and x is not node]
        ended[node] = set().union(*(ended[x] for x in before))
        for x in before:
            if _fewest_read(step, plan.steps[x]) == plan.steps[x].count:
                ended[node] |= {x} | needed[x]
        whole = [x for x in before if _reads_all(step, x)]
        needed[node] = ended[node].union(whole, *(needed[x] for x in whole))
    return ended


def _reads_all(reader: Step, x: Node) -> bool:
    """Whether all blocks of `reader` together read all cells of one of its inputs."""
    boxes = reader.program.input_boxes(reader.node.type.box)[reader.inputs.index(x)]
    return any(box.contains(x.type.box) for box in boxes)


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


def resident_bytes(plan: PlannedSteps) -> dict[Node, int]:
    """Bytes of each step's output that are held at once.

    A value that is read block by block is freed block by block; results, values that a block of a
    reader reads whole, and those of which a reader waits for something made of all, are held whole.
    """
    return _all_resident(plan, _ended_before(plan) if len(plan.steps) <= MOST_PAIRED else {})


def _all_resident(plan: PlannedSteps, ended: Mapping[Node, Collection[Node]]) -> dict[Node, int]:
    """The same, where the steps that have `ended` before each are known."""
    readers: dict[Node, list[Step]] = {node: [] for node in plan.steps}
    for reader in plan.steps.values():
        for node in dict.fromkeys(reader.inputs):
            if node in readers and node is not reader.node:
                readers[node].append(reader)
    return {node: _resident(step, plan, readers[node], ended) for node, step in plan.steps.items()}


def _resident(
    step: Step,
    plan: PlannedSteps,
    readers: Iterable[Step],
    ended: Mapping[Node, Collection[Node]],
) -> int:
    node = step.node
    if isinstance(node.operator, Sink):
        return 0
    if node in plan.graph.roots:
        return node.type.nbytes
    block = node.type.dtype.itemsize * prod(c.longest for c in step.cuts)
    streaming = step.machine.slots * 4 * block
    whole = any(_reads_many(r, step) or node in ended.get(r.node, ()) for r in readers)
    return node.type.nbytes if whole else min(node.type.nbytes, streaming)


def _reads_many(reader: Step, step: Step) -> bool:
    """Whether one block of `reader` reads more blocks of `step` than a neighbourhood."""
    box = reader.box((0,) * len(reader.cuts))
    at = reader.inputs.index(step.node)
    boxes = reader.program.input_boxes(box)[at]
    return any(met_blocks(b, step.cuts) > 2 ** max(len(step.cuts), 1) for b in boxes)
