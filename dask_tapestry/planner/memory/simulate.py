"""Simulate: a plan's steps scheduled on its machine, without writing tasks out.

Bundles of blocks take slots as they get ready, later steps first, as Dask does to free memory. What
a bundle reads from other workers travels while other blocks are computed; the scheduler handles one
task at a time; a store is shared by the threads that use it, a device and its link by the few
blocks that it has at a time. A bundle's blocks are held until all that read them have ended.
"""

from __future__ import annotations

from bisect import insort
from collections import Counter
from collections.abc import Collection, Mapping
from heapq import heappop, heappush
from math import inf
from typing import NamedTuple

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.planner.cost.makespan import GridBlocks
from dask_tapestry.planner.cost.step import PlannedSteps, Step
from dask_tapestry.planner.machine.machine import Machine
from dask_tapestry.planner.memory.simulated_run import Moment, Simulation, StepTimes
from dask_tapestry.planner.memory.task_groups import TaskGroup, bundles_of
from dask_tapestry.planner.tuning import (
    BUNDLES_A_STEP,
    IMBALANCE,
    LONG_BUNDLE_BATCHES,
    MOST_BUNDLES,
    PART_SECONDS,
    ROUNDING,
)
from dask_tapestry.teg import Node, Sink


def simulate(plan: PlannedSteps) -> Simulation:
    """Run a plan's steps on its machine, in thought."""
    machine = Machine.of(plan.resources)
    run = _SimulatedRun(machine, plan.steps, plan.graph.roots)
    run.go()
    times = tuple(
        StepTimes(f"{node.operator.label} {node.type}", begin, end, busy, plan.steps[node].count)
        for node, (begin, end, busy) in run.times.items()
    )
    return Simulation(run.now, times, tuple(run.moments), machine.slots, machine.usable)


class Load(NamedTuple):
    """What a block of a step takes.

    Attributes
    ----------
    compute
        Seconds of a thread, or of a device.
    fetch, fetched
        Seconds of its worker's network, and of what all workers share of it.
    codec
        Seconds of its thread that decodes what it reads from stores, and encodes what it writes.
    store, stores
        Seconds of its worker's way to stores, and of the stores that all workers share.
    dispatch
        Seconds of the scheduler.
    held, work
        Bytes of its value, and of the arrays alive while it is computed.
    link
        Seconds of its device's link.
    devices
        How many devices share what blocks take of them and of their links; 0 for threads.
    """

    compute: float
    fetch: float
    fetched: float
    codec: float
    store: float
    stores: float
    dispatch: float
    held: float
    work: float
    link: float
    devices: int

    @classmethod
    def of(cls, step: Step, machine: Machine) -> Load:
        """What the average block of `step` takes."""
        cost, count = step.cost, step.count
        slices = cost.slices * machine.slice + cost.edges * machine.edge
        messages = cost.edges * machine.latency * (cost.moved > 0)
        network = machine.network_seconds(cost.moved) + messages
        stored = cost.read + cost.written
        codec = machine.codec_seconds(cost.read, cost.written, cost.codecs)
        is_sink = isinstance(step.node.operator, Sink)
        calls = cost.calls * machine.call  # which threads of one process do one at a time
        sending = cost.parts * PART_SECONDS / count
        return cls(
            compute=_thread_seconds(step, machine)
            + (0.0 if machine.local else machine.worker_task + calls + sending),
            fetch=network / count,
            fetched=cost.moved / machine.network_all / count,
            codec=codec / cost.coding / count,
            store=stored / machine.store / count,
            stores=stored / machine.store_all / count,
            dispatch=machine.task + slices / count + (calls if machine.local else 0.0),
            held=0.0 if is_sink else step.node.type.nbytes / count,
            work=step.needs.work,
            link=cost.crossed / step.machine.link / count,
            devices=step.machine.slots if step.machine.device else 0,
        )


def _thread_seconds(step: Step, machine: Machine) -> float:
    """Seconds of the average block: a step's cost counts its waves, and that blocks end apart."""
    blocks = GridBlocks.of(step.cuts)
    fewer = step.machine.alone or step.machine.device
    slots = step.machine.slots if fewer else machine.slots
    together = blocks.waves(min(blocks.total, slots))
    largest = step.cost.compute / (together + blocks.uneven(step.cost.pieces))
    return largest * blocks.equal / blocks.total


class _Few(NamedTuple):
    """So many blocks at a time, of all steps that have the same name for it."""

    name: str
    blocks: int


def _at_a_time(machine: Machine) -> _Few | None:
    """How many blocks of a step run at a time, where these are not as many as there are slots."""
    if machine.device:
        return _Few(machine.device, max(1, round(machine.slots * machine.in_flight)))
    return _Few("alone", machine.workers) if machine.alone else None


class _Event(NamedTuple):
    """Blocks of a bundle end; or, if there are none of them, some of it have arrived."""

    seconds: float
    bundle: int
    blocks: int
    at_once: int


@dataclass
class _State:
    """How far a bundle is: blocks that started and ended, and when it is ready and arrives."""

    waiting: int
    readers: int
    ready: float = 0.0
    arrived: float = 0.0
    started: int = 0
    ended: int = 0
    wakes: float = 0.0


class _SimulatedRun:
    """A simulated run, event by event."""

    def __init__(self, machine: Machine, steps: Mapping[Node, Step], kept: Collection[Node]):
        self.machine, self.kept = machine, kept
        self.loads = {node: Load.of(step, machine) for node, step in steps.items()}
        most = max(1, min(BUNDLES_A_STEP, MOST_BUNDLES // max(1, len(steps))))
        self.bundles = bundles_of(steps, most)
        self.readers: list[list[int]] = [[] for _ in self.bundles]
        for number, bundle in enumerate(self.bundles):
            for x in bundle.reads:
                self.readers[x].append(number)
        self.states = [
            _State(len(bundle.reads), len(own))
            for bundle, own in zip(self.bundles, self.readers, strict=True)
        ]
        self.few = {node: _at_a_time(step.machine) for node, step in steps.items()}
        self.free = machine.slots
        self.taken: Counter[str] = Counter()  # slots, by what has no more than a few of them
        self.now = self.network = self.scheduler = self.store = self.link = self.device = 0.0
        self.held = self.working = 0.0
        self.events: list[_Event] = []
        self.turns = {node: -turn for turn, node in enumerate(steps)}
        self.open: list[tuple[int, int]] = []  # bundles that could start, the last step's first
        self.moments: list[Moment] = []
        self.times: dict[Node, list[float]] = {node: [inf, 0.0, 0.0] for node in steps}

    def go(self) -> None:
        """Run all bundles."""
        for number, state in enumerate(self.states):
            if not state.waiting:
                self._open(number)
        self._start()
        while self.events:
            self.now = self.events[0].seconds
            while self.events and self.events[0].seconds <= self.now:
                self._end(heappop(self.events))
            self._start()

    def _open(self, number: int) -> None:
        """Start the transfers of a bundle whose inputs have all been computed."""
        bundle, state = self.bundles[number], self.states[number]
        load = self.loads[bundle.step]
        seconds, shared = load.fetch * bundle.blocks, load.fetched * bundle.blocks
        alone = max(seconds / min(self.machine.workers, bundle.blocks), shared)
        each = max(seconds / self.machine.workers, shared)
        self.network = max(self.network, self.now) + each
        state.ready, state.arrived = self.now, max(self.network, self.now + alone)
        insort(self.open, (self.turns[bundle.step], number))

    def _start(self) -> None:
        """Give free slots to blocks that have arrived."""
        for key in list(self.open):
            if not self.free:
                break
            number = key[1]
            bundle, state = self.bundles[number], self.states[number]
            there = self._arrived(bundle, state)
            blocks = there - state.started
            if not blocks:
                continue
            at_once = min(blocks, self._free_for(bundle))
            if not at_once:
                continue
            self._run(number, at_once * max(1, blocks // (LONG_BUNDLE_BATCHES * at_once)), at_once)
            if state.started == bundle.blocks:
                self.open.remove(key)
        self._note()

    def _free_for(self, bundle: TaskGroup) -> int:
        """Slots that blocks of a bundle may take now."""
        few = self.few[bundle.step]
        return self.free if few is None else min(self.free, few.blocks - self.taken[few.name])

    def _arrived(self, bundle: TaskGroup, state: _State) -> int:
        """Blocks of an open bundle whose inputs are on their workers; else waits for some."""
        if self.now >= state.arrived:
            return bundle.blocks
        pace = bundle.blocks / (state.arrived - state.ready)
        arrived = min(bundle.blocks, int((self.now - state.ready) * pace + ROUNDING))
        if arrived == state.started:
            wanted = min(
                arrived + max(1, min(self.free, bundle.blocks // LONG_BUNDLE_BATCHES)),
                bundle.blocks,
            )
            when = state.ready + wanted / pace
            when = max(when, self.now * (1 + ROUNDING))
            if not self.now < state.wakes <= when:
                state.wakes = when
                self._push(when, -1, 0, 0)
        return arrived

    def _run(self, number: int, blocks: int, at_once: int) -> None:
        """Start blocks, so many at a time."""
        bundle, state = self.bundles[number], self.states[number]
        load, rounds = self.loads[bundle.step], blocks / at_once
        seconds = (load.compute + load.codec + load.store + load.link) * rounds
        self.scheduler = max(self.scheduler, self.now) + load.dispatch * blocks
        until = max(self.now + seconds, self.scheduler + seconds / rounds)
        if load.store:
            each = max(load.store / self.machine.workers, load.stores)
            self.store = max(self.store, self.now) + each * blocks
            until = max(until, self.store + load.codec + load.link + load.compute)
        if load.devices:
            self.link = max(self.link, self.now) + load.link * blocks / load.devices
            self.device = max(self.device, self.now) + load.compute * blocks / load.devices
            until = max(until, self.link + load.compute, self.device)
        self._take(bundle, at_once)
        self.working += at_once * load.work
        state.started += blocks
        times = self.times[bundle.step]
        times[0] = min(times[0], self.now)
        times[2] += seconds * at_once
        self._push(until, number, blocks, at_once)

    def _take(self, bundle: TaskGroup, slots: int) -> None:
        """Give a bundle slots; less than none where it gives them back."""
        self.free -= slots
        few = self.few[bundle.step]
        if few is not None:
            self.taken[few.name] += slots

    def _push(self, seconds: float, number: int, blocks: int, at_once: int) -> None:
        heappush(self.events, _Event(seconds, number, blocks, at_once))

    def _end(self, event: _Event) -> None:
        """Blocks have ended: their values are held, and what only they read is not."""
        if event.bundle < 0:
            return
        bundle, state = self.bundles[event.bundle], self.states[event.bundle]
        load = self.loads[bundle.step]
        self._take(bundle, -event.at_once)
        self.working -= event.at_once * load.work
        self.held += event.blocks * load.held
        self.times[bundle.step][1] = self.now
        state.ended += event.blocks
        if state.ended < bundle.blocks:
            return
        for x in bundle.reads:
            self.states[x].readers -= 1
            self._forget(x)
        self._forget(event.bundle)
        for reader in self.readers[event.bundle]:
            self.states[reader].waiting -= 1
            if not self.states[reader].waiting:
                self._open(reader)

    def _forget(self, number: int) -> None:
        """Free a bundle's values if it has ended and no reader is left."""
        bundle, state = self.bundles[number], self.states[number]
        over = state.ended == bundle.blocks and not state.readers
        if over and bundle.step not in self.kept:
            self.held -= bundle.blocks * self.loads[bundle.step].held

    def _note(self) -> None:
        workers = self.machine.workers
        uneven = IMBALANCE if workers > 1 else 1.0
        running = self.machine.slots - self.free
        working = self.working / workers
        moment = Moment(self.now, running, self.held / workers * uneven, working)
        if self.moments and self.moments[-1].seconds == self.now:
            self.moments.pop()
        self.moments.append(moment)
