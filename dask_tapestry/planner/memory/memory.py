"""Memory of a worker: its peak, the most that it holds at a time while a plan runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from functools import cached_property
from math import ceil, prod
from typing import NamedTuple

import numpy as np

from dask_tapestry.planner.cost.step import PlannedSteps, Step
from dask_tapestry.planner.fusion.external_inputs import is_sent, scatter_cuts
from dask_tapestry.planner.fusion.group import is_external
from dask_tapestry.planner.machine.limits import blocks_together
from dask_tapestry.planner.machine.machine import Machine
from dask_tapestry.planner.machine.worker_group import WorkerGroup
from dask_tapestry.planner.memory.lifetimes import Bytes, Flags, Lifetimes
from dask_tapestry.planner.memory.resident_values import all_resident, lifetimes_of, passed_on
from dask_tapestry.planner.tuning import (
    DEVICE_BLOCKS,
    IMBALANCE,
    STREAMED_BLOCKS_A_SLOT,
)
from dask_tapestry.steps.device_values import lying_on
from dask_tapestry.teg import Node
from dask_tapestry.zspace import Cuts


class Slices(Enum):
    """Which slices of blocks are taken to wait on workers."""

    COUNTED = "those that are cut"
    USUAL = "those that are cut, if each block waits for as many as the largest one: soon known"
    ALL = "of all that steps may cut: no worker holds more"
    ALL_APART = "the same, of steps that wait as well; no value takes another's place: soon known"
    NONE = "none: a worker holds more"


class PeakWorkers(NamedTuple):
    """The workers whose memory is fullest.

    Attributes
    ----------
    bytes, usable
        The most bytes that one of them holds at a time, and how many a plan may.
    place
        Which of several groups they are; "" where all workers are alike.
    device
        The device whose memory it is, as a user names it; "" for that of the worker itself.
    """

    bytes: int
    usable: int
    place: str = ""
    device: str = ""

    @property
    def fits(self) -> bool:
        """Whether they hold no more than a plan may."""
        return self.bytes <= self.usable

    def lacking(self, reserve: int = 0) -> int:
        """Bytes by which they hold more than that, if some are held in reserve."""
        return max(0, self.bytes + reserve - self.usable)


def fullest_workers(
    plan: PlannedSteps, slices: Slices = Slices.COUNTED, rounds: int = 1
) -> PeakWorkers:
    """The workers that hold most of what they may, in their own memory or in that of a device.

    Parameters
    ----------
    slices
        Which are taken to be there: to count them takes longest of all.
    rounds
        Results are held whole, or a part at a time if they are fetched in several rounds.
    """
    return WorkerMemory(plan, rounds).fullest(slices)


class WorkerMemory:
    """What the workers of a plan hold, with slices counted in one way or the other.

    Parameters
    ----------
    rounds
        In which results are fetched.
    """

    def __init__(self, plan: PlannedSteps, rounds: int = 1) -> None:
        self.plan, self.rounds = plan, rounds

    @cached_property
    def lifetimes(self) -> Lifetimes | None:
        """Which values are held together; None for plans of too many steps to compare them."""
        return lifetimes_of(self.plan)

    @cached_property
    def held(self) -> dict[Node, int]:
        """Bytes of each value that are held at once."""
        return all_resident(self.plan, self.lifetimes, self.rounds)

    @cached_property
    def parts(self) -> dict[Node, float]:
        """Bytes of each value that one worker holds at once, in its own memory."""
        return {n: self._part(n, self.held[n]) for n in self.plan.steps}

    @cached_property
    def whole_parts(self) -> dict[Node, float]:
        """The same, where all of each value is held."""
        return {n: self._part(n, n.type.nbytes) for n in self.plan.steps}

    @cached_property
    def _passed_on(self) -> frozenset[Node]:
        return passed_on(self.plan)

    def _part(self, node: Node, held: int) -> float:
        step = self.plan.steps[node]
        if lies_on(node):
            return 0.0
        if node in self._passed_on and held < node.type.nbytes:  # by the worker that has made it
            return held / step.machine.hosts
        return bytes_of_one_worker(node, step.cuts, held, step.machine.hosts)

    @property
    def least_held(self) -> float:
        """Bytes that a worker holds at least of values, however finely blocks are cut.

        0 where nothing is known: of steps that are not compared, and of workers that are not alike.
        """
        if self.lifetimes is None or self.plan.resources.groups or self._devices:
            return 0.0
        hosts = {n: step.machine.hosts for n, step in self.plan.steps.items()}
        whole = {n: least_share(n.type.nbytes, hosts[n]) for n in hosts}
        held = {n: whole[n] if self.held[n] >= n.type.nbytes else 0.0 for n in hosts}
        return self.lifetimes.most_together(held, lambda may_run: np.zeros(len(may_run)), whole)

    def fullest(self, slices: Slices = Slices.COUNTED) -> PeakWorkers:
        """The workers that hold most of what they may."""
        resources, devices = self.plan.resources, self._devices
        if not resources.groups and not devices:
            peak = _peak(self, resources.kinds[0], "", slices)
            return PeakWorkers(peak, resources.usable_bytes)
        groups = [(g, g.place if resources.groups else "") for g in resources.kinds]
        candidates = [
            PeakWorkers(_peak(self, g, place, slices), resources.usable_by(g), place)
            for g, place in groups
        ]
        candidates += [
            PeakWorkers(_device_peak(self, m, place, slices), resources.device_bytes, place, d)
            for _, place in groups
            for m, d in devices.items()
        ]
        return max(candidates, key=lambda one: one.bytes / one.usable)

    def lacking_uncounted(self, reserve: int = 0) -> int | None:
        """Bytes that a worker lacks, if some are held in reserve; None if slices are to be counted.

        Values that take each other's place are looked for only where it depends on them.
        """
        if not self.fullest(Slices.ALL_APART).lacking(reserve):
            return 0
        least = self.fullest(Slices.NONE).lacking(reserve)
        if least or not self.fullest(Slices.ALL).lacking(reserve):
            return least
        return None

    @property
    def fits(self) -> bool:
        """Whether workers hold no more than a plan may."""
        lacking = self.lacking_uncounted()
        return self.fullest().fits if lacking is None else not lacking

    @property
    def _devices(self) -> dict[str, str]:
        """The devices that steps compute on, by memory."""
        machines = [step.machine for step in self.plan.steps.values() if step.machine.device]
        return {m.device_memory: m.device for m in machines}


def peak_worker_bytes(plan: PlannedSteps) -> int:
    """The most bytes that one worker holds at a time, of those whose memory is fullest."""
    return fullest_workers(plan).bytes


def _peak(memory: WorkerMemory, kind: WorkerGroup, place: str, slices: Slices) -> int:
    """The most bytes that a worker of a kind holds at a time.

    While a step runs: the values that are held then, spread over the workers that compute them with
    an imbalance factor; the largest blocks that its threads may compute, of this step or of others
    that may run beside it; arrays that the client has sent; and memory that is kept to be used
    again. Of steps at another place it holds and computes nothing.
    """
    plan, lifetimes, bytes_of = memory.plan, memory.lifetimes, memory.held
    resources, all_apart = plan.resources, slices is Slices.ALL_APART
    steps = {n: step for n, step in plan.steps.items() if step.machine.place in ("", place)}
    placed = plan.graph.roots if resources.local else ()  # in the final array
    running = [
        _Running.of(
            step,
            0 if lifetimes and (all_apart or lifetimes.takes_place(node)) else bytes_of[node],
            node in placed and step.needs.copied,
            kind.threads,
            slices,
        )
        for node, step in steps.items()
        if not step.machine.device or step.estimate.crossed
    ]
    parts = {n: memory.parts[n] for n in steps}
    whole = None if all_apart else {n: memory.whole_parts[n] for n in steps}
    most = _most_together(memory, running, kind.threads, parts, whole)
    idle = min(kind.threads, max((s.count for s in steps.values()), default=1)) * _idle_pool_bytes(
        plan
    )
    given = {x for x in plan.graph.roots if x not in plan.steps and not x.is_sequence_point}
    copies = sum(x.type.nbytes for x in given) if resources.local else 0
    return round(copies + _sent_bytes(plan) + most + min(resources.kept_bytes, idle))


def _device_peak(memory: WorkerMemory, device: str, place: str, slices: Slices) -> int:
    """The most bytes that one device holds at a time: its values, its share of all devices'."""
    bytes_of = memory.held
    steps = {
        n: step
        for n, step in memory.plan.steps.items()
        if step.machine.device
        and (step.machine.device_memory == device or step.machine.devices > 1)
        and step.machine.place in ("", place)
    }

    def share(n: Node, size: int) -> float:
        step, machine = steps[n], steps[n].machine
        devices = machine.hosts * machine.devices
        return bytes_of_one_worker(n, step.cuts, size, devices) if lies_on(n) else 0.0

    parts, few = {n: share(n, bytes_of[n]) for n in steps}, DEVICE_BLOCKS
    running = [_Running.of(step, bytes_of[n], False, few, slices) for n, step in steps.items()]
    apart = slices is Slices.ALL_APART
    whole = None if apart else {n: share(n, n.type.nbytes) for n in steps}
    return round(_most_together(memory, running, few, parts, whole))


def _most_together(
    memory: WorkerMemory,
    running: Sequence[_Running],
    threads: int,
    parts: Mapping[Node, float],
    whole: Mapping[Node, float] | None,
) -> float:
    """The most bytes at a time: parts of values, and the largest blocks that threads compute."""
    blocks, apart = sorted(running, key=lambda block: -block.beside), whole is None
    if memory.lifetimes is None:
        all_of_them = np.ones((1, len(blocks)), bool)
        return sum(parts.values()) + float(_threads_full(all_of_them, blocks, threads, apart)[0])
    number = {node: number for number, node in enumerate(memory.plan.steps)}
    columns = [number[block.node] for block in blocks]

    def full(may_run: Flags) -> Bytes:
        return _threads_full(may_run[:, columns], blocks, threads, apart)

    return memory.lifetimes.most_together(parts, full, whole)


def lies_on(node: Node) -> str:
    """The kind of device in whose memory a value lies; "" for that of the host."""
    known = lying_on(node)
    return "" if known is None else known.kind


def _sent_bytes(plan: PlannedSteps) -> float:
    """Bytes of one worker, of arrays in the client's memory that are sent and stay to the end."""
    machine, workers = Machine.of(plan.resources), plan.resources.workers
    scattered = {
        x: held or scatter_cuts(x.type.shape, x.type.dtype.itemsize)
        for step in plan.steps.values()
        for x, held in zip(step.inputs, step.held, strict=True)
        if is_external(x) and is_sent(x, machine)
    }
    return sum(
        bytes_of_one_worker(x, cuts, x.type.nbytes, workers) for x, cuts in scattered.items()
    )


def _block_bytes(node: Node, cuts: Sequence[Cuts]) -> int:
    return node.type.dtype.itemsize * prod([c.longest for c in cuts])


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
    alone
        Whether a worker computes one at a time of all blocks of which that is said.
    """

    node: Node
    together: int
    beside: float
    waiting: float
    alone: bool

    @classmethod
    def of(cls, step: Step, held: int, copied: bool, threads: int, slices: Slices) -> _Running:
        """A block of `step`, whose value takes `held` bytes; `copied` to where that is held."""
        node = step.node
        own = step.block_bytes if held >= node.type.nbytes and not copied else 0
        together = min(step.count, threads)
        if all(held is None for held in step.held):
            together = min(together, blocks_together(step.count, step.machine.hosts))
        waiting, alone = _sliced(step, held, threads, slices), step.machine.alone
        return cls(node, 1 if alone else together, max(0, step.needs.work - own), waiting, alone)


def _sliced(step: Step, held: int, threads: int, slices: Slices) -> float:
    """Bytes of slices that wait on a worker: for its threads, or for another step that has to end.

    Slices are cut as soon as what they are cut from is there. Of a bulk exchange all wait, and make
    way for the `held` bytes of the step's value.
    """
    alone = step.machine.workers == 1 or all(own is None for own in step.held)
    if alone or slices is Slices.NONE:
        return 0
    mine = ceil(step.count / step.machine.hosts)
    in_bulk = step.estimate.parts > 0
    blocks = mine if in_bulk or len(step.inputs) > 1 else min(mine, threads)
    gone = held / step.machine.hosts if in_bulk else 0.0
    if slices in (Slices.ALL, Slices.ALL_APART):
        return max(0.0, blocks * (step.needs.read - step.needs.stored) - gone)
    sliced = step.estimate.sliced if slices is Slices.USUAL else step.cost.sliced
    return max(0.0, blocks * sliced / step.count - gone)


def bytes_of_one_worker(node: Node, cuts: Sequence[Cuts], held: int, workers: int) -> float:
    """Bytes of one of `workers`, of the `held` ones of a value: its share, or whole blocks.

    Pieces of a round lie where they were cut and, as soon as all are there, where they are wanted.
    """
    block = _block_bytes(node, cuts)
    if STREAMED_BLOCKS_A_SLOT * workers * block < held < node.type.nbytes:
        return held / workers * (2 - 1 / workers)
    blocks = ceil(prod([c.count for c in cuts]) / workers)
    return min(held, max(least_share(held, workers), blocks * block))


def least_share(held: float, workers: int) -> float:
    """Bytes that one of `workers` is taken to hold of `held` ones, however they are cut."""
    return held if workers == 1 else held / workers * IMBALANCE


def _threads_full(
    may_run: Flags, blocks: Sequence[_Running], threads: int, apart: bool = False
) -> Bytes:
    """For each row, bytes of the first `blocks` that may run, as many as there are threads.

    Of those alone one runs. Slices wait for those that run; where blocks are taken for larger than
    they are, others may run in truth: then slices for any that may run are counted (`apart`).
    """
    together, beside, waiting = (
        np.array(numbers, float)
        for numbers in (
            [block.together for block in blocks],
            [block.beside for block in blocks],
            [block.waiting for block in blocks],
        )
    )
    alone = may_run & np.array([block.alone for block in blocks], bool)
    runs = may_run & ~(alone & (np.cumsum(alone, axis=1) > 1))
    wanted = np.where(runs, together, 0.0)
    left = np.maximum(0, threads - (np.cumsum(wanted, axis=1) - wanted))
    taken: Bytes = np.minimum(wanted, left) * beside + waiting
    return np.asarray(np.where(may_run & (apart | (left > 0)), taken, 0.0).sum(axis=1))


def _idle_pool_bytes(plan: PlannedSteps) -> int:
    """Bytes of used memory that may lie idle while a block of another kind takes the most."""
    needs = [step.needs for step in plan.steps.values()]
    apart = max((n.used for n in needs), default=0) + max((n.fresh for n in needs), default=0)
    return max(0, apart - max((n.work for n in needs), default=0))
