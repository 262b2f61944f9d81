"""A plan's tasks one by one on workers with threads: what `plan.simulate` should come near to.

Every block is a task on one worker. A worker takes a few tasks more than it has threads, so that
their inputs travel while others are computed; what came to a worker stays there. The rates are
those of the plan's costs, all else is its own.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import product
from math import prod

from dask_tapestry.planner.machine.machine import Machine
from dask_tapestry.planner.memory.simulate import Load
from dask_tapestry.planner.tuning import SLICE_SAVES_BYTES
from dask_tapestry.zspace import block_box, block_range

AHEAD = 2  # tasks of a worker for each of its threads: Dask sends some before a thread is free


@dataclass
class Task:
    """A block: what it takes, what it reads with the bytes that travel, and who reads it."""

    step: int
    share: float
    size: float
    reads: dict[int, float] = field(default_factory=dict)
    readers: list[int] = field(default_factory=list)
    waiting: int = 0


def tasks_of(plan):
    """All blocks of a plan, producers first."""
    tasks, numbers = [], {}
    for turn, (node, step) in enumerate(plan.steps.items()):
        longest = prod(c.longest for c in step.cuts)
        for index in product(*map(range, step.grid_shape)):
            box = step.box(index)
            size = 0 if node.operator.category == "sink" else box.size * node.type.dtype.itemsize
            task = Task(turn, box.size / max(1, longest), size)
            for x, boxes in zip(step.inputs, step.program.input_boxes(box), strict=True):
                if x in numbers and x != node:
                    _read(task, plan.steps[x], boxes, numbers[x], x.type.dtype.itemsize)
            task.waiting = len(task.reads)
            for number in task.reads:
                tasks[number].readers.append(len(tasks))
            numbers.setdefault(node, {})[index] = len(tasks)
            tasks.append(task)
    return tasks


def _read(task, step, boxes, numbers, itemsize):
    for box in boxes:
        for index in product(*block_range(step.cuts, box)):
            held = block_box(step.cuts, index)
            part = held.intersection(box).size * itemsize
            whole = held.size * itemsize
            sent = part if whole - part >= SLICE_SAVES_BYTES else whole
            number = numbers[index]
            task.reads[number] = max(task.reads.get(number, 0), sent)


class Events:
    """The run."""

    def __init__(self, plan):
        self.machine = machine = Machine.of(plan.resources)
        self.loads = [Load.of(step, machine) for step in plan.steps.values()]
        self.largest = [
            prod(c.longest for c in s.cuts) * s.count / max(1, s.node.type.size)
            for s in plan.steps.values()
        ]  # the largest block beside the average one
        self.tasks = tasks_of(plan)
        self.ready, self.events = [], []
        self.threads = [machine.threads] * machine.workers
        self.queued = [[] for _ in range(machine.workers)]
        self.taken = [0] * machine.workers
        self.due = [0.0] * machine.workers
        self.link = [0.0] * machine.workers
        self.store = [0.0] * machine.workers
        self.all_stores = self.scheduler = self.now = 0.0
        self.copies = [set() for _ in range(machine.workers)]

    def seconds(self):
        """How long the plan takes."""
        for number, task in enumerate(self.tasks):
            if not task.waiting:
                heappush(self.ready, (-task.step, number))
        self.hand_out()
        while self.events:
            self.now, what, number, worker = heappop(self.events)
            if what == "arrived":
                task = self.tasks[number]
                heappush(self.queued[worker], (-task.step, number))
            else:
                self.end(number, worker)
            self.begin(worker)
            self.hand_out()
        return self.now

    def hand_out(self):
        """Give ready tasks to the workers that hold most of what they read and have room."""
        most = self.machine.threads * AHEAD
        while self.ready:
            with_room = [w for w, n in enumerate(self.taken) if n < most]
            if not with_room:
                return
            _, number = heappop(self.ready)
            task = self.tasks[number]
            here = {w: self.to_fetch(task, w) for w in with_room}
            fetch = {w: n / self.machine.network for w, n in here.items()}
            worker = min(fetch, key=lambda w: (self.wait(w) + fetch[w], self.taken[w]))
            self.due[worker] += self.loads[task.step].compute
            self.taken[worker] += 1
            self.scheduler = max(self.scheduler, self.now) + self.loads[task.step].dispatch
            there = self.scheduler
            if here[worker]:
                begin = max(self.link[worker], there)
                there = self.link[worker] = begin + here[worker] / self.machine.network
            self.copies[worker].update(task.reads)
            heappush(self.events, (there, "arrived", number, worker))

    def wait(self, worker):
        """Seconds until a worker would have a thread for one more task, as Dask reckons."""
        busy = self.taken[worker] >= self.machine.threads
        return self.due[worker] / self.machine.threads if busy else 0.0

    def to_fetch(self, task, worker):
        """Bytes that a task reads and a worker has not."""
        return sum(n for x, n in task.reads.items() if x not in self.copies[worker])

    def begin(self, worker):
        """Compute tasks whose inputs are there while threads are free."""
        while self.queued[worker] and self.threads[worker]:
            _, number = heappop(self.queued[worker])
            self.threads[worker] -= 1
            task = self.tasks[number]
            load, share = self.loads[task.step], task.share * self.largest[task.step]
            self.store[worker] = max(self.store[worker], self.now) + load.store * share
            self.all_stores = max(self.all_stores, self.now) + load.stores * share
            stored = max(self.store[worker], self.all_stores) if load.store else self.now
            heappush(
                self.events, (stored + (load.codec + load.compute) * share, "ended", number, worker)
            )

    def end(self, number, worker):
        """A task has ended: its value is there, and its readers may be ready."""
        self.threads[worker] += 1
        self.taken[worker] -= 1
        self.due[worker] -= self.loads[self.tasks[number].step].compute
        self.copies[worker].add(number)
        for reader in self.tasks[number].readers:
            task = self.tasks[reader]
            task.waiting -= 1
            if not task.waiting:
                heappush(self.ready, (-task.step, reader))
