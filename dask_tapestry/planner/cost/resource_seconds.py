"""Seconds of a step: of kernels, network, stores, link and tasks, and of all of them together.

A step's seconds are those of its busiest resource, a part of the others', as they overlap not
quite, and what its tasks cost the scheduler and the workers. A device has few blocks at a time:
then they are at least those of all that such a block does, shared by these.
"""

from __future__ import annotations

from typing import NamedTuple

from dask_tapestry.planner.cost.makespan import GridBlocks
from dask_tapestry.planner.machine.machine import Machine
from dask_tapestry.planner.tuning import FETCH_SECONDS, NEVER_OVERLAPPED, PART_SECONDS


class StepTraffic(NamedTuple):
    """What all blocks of a step take from elsewhere.

    Attributes
    ----------
    read, moved
        Bytes from stores, and from other workers.
    requests
        Stored chunks that are opened, those that are written too.
    edges, slices
        Blocks or parts of them that tasks wait for, and tasks that cut or exchange these parts.
    sliced
        Bytes that these cut.
    parts
        Parts of blocks that workers send each other in bulk.
    crossed
        Bytes between the memory of workers and that of their devices.
    """

    read: float
    requests: float
    moved: float
    edges: int
    slices: int
    sliced: float
    parts: float = 0.0
    crossed: float = 0.0


class Tasks(NamedTuple):
    """Blocks, operators that each calls, pieces it reads ahead and has; what it reads is plain."""

    blocks: GridBlocks
    calls: int
    ahead: int
    pieces: int
    plain: bool


class Working(NamedTuple):
    """Seconds of all blocks, of kernels and of the link between worker and device."""

    compute: float
    link: float


class Seconds(NamedTuple):
    """The seconds of a step by resource, as its cost has them."""

    seconds: float
    compute: float
    network: float
    store: float
    overhead: float
    link: float


def step_seconds(
    working: Working, traffic: StepTraffic, written: float, tasks: Tasks, machine: Machine
) -> Seconds:
    """Seconds of a step, of whose blocks those of kernels and of the link are known."""
    count, (compute, link) = tasks.blocks.total, working
    network = _network_seconds(traffic.moved, traffic.edges, count, machine)
    store = _store_seconds(traffic.read, written, traffic.requests, tasks, machine)
    handled = (traffic.slices, traffic.edges, traffic.sliced)
    overhead = overhead_seconds(count, *handled, machine, tasks.calls, traffic.parts)
    waiting = _unoverlapped_share(count, machine)
    beside = machine.threads > 1 and count > machine.workers
    by_turns = tasks.pieces if beside else tasks.ahead
    reading = waiting if machine.local else _unoverlapped_share(count * by_turns, machine)
    busy = ((compute, reading), (network, waiting), (store, reading), (link, waiting))
    longest, share = max(busy)
    apart = sum([seconds * part for seconds, part in busy]) - longest * share
    together = max(longest + apart, (compute + link + store) / machine.in_flight)
    return Seconds(together + overhead, compute, network, store, overhead, link)


def least_step_seconds(
    kernels: float, written: float, moved: float, count: int, machine: Machine
) -> float:
    """Seconds that no step can do without, but for reading and for handling its `count` tasks.

    Parameters
    ----------
    kernels
        Seconds of those, with all slots busy.
    written, moved
        Bytes that go to stores, and from worker to worker.
    """
    hosts = min(machine.hosts, count)
    link = written / machine.store_write / (1 if machine.local else hosts)
    store = max(link, written / machine.store_write_all)
    busy = kernels, transfer_seconds(moved, hosts, machine), store
    longest = max(busy)
    return longest + NEVER_OVERLAPPED * (sum(busy) - longest)


def _unoverlapped_share(count: int, machine: Machine) -> float:
    """The share of a resource's seconds that does not overlap with those of the busiest.

    A block waits for what it reads; only other blocks of its slot, if there are any, compute
    meanwhile. Of a block that reads ahead each piece counts, and of one that has a worker's other
    threads beside it: one thread's piece is read while others are computed.
    """
    return max(NEVER_OVERLAPPED, min(1.0, machine.slots / count))


def _network_seconds(moved: float, messages: int, count: int, machine: Machine) -> float:
    if not moved:
        return 0.0
    hosts = min(machine.hosts, count)
    waits = messages * machine.latency / hosts
    start = 0.0 if machine.local else FETCH_SECONDS
    return start + waits + transfer_seconds(moved, hosts, machine)


def transfer_seconds(moved: float, hosts: int, machine: Machine) -> float:
    """Seconds in which bytes come into so many workers, each as many."""
    return max(machine.network_seconds(moved) / hosts, moved / machine.network_all)


def _store_seconds(
    read: float, written: float, requests: float, tasks: Tasks, machine: Machine
) -> float:
    """Seconds of stores: those that threads of this process take, or a worker's connection.

    Local chunks are decoded by the threads that read them, each of which has its part of the rate:
    of a thread's own seconds zstd gives .83 GB/s, .81 beside another (blosc 1.97 and 2.09, plain
    7.8 and 6.7; chunks of 4 MiB in the page cache, AMD EPYC with 2 cores), so one alone has half.
    Any thread of a worker elsewhere may use its whole connection, and waits for its own requests.
    """
    blocks = tasks.blocks
    busy = read / machine.read_rate(tasks.plain) + written / machine.store_write
    waits = max(requests / machine.requests, min(requests, blocks.equal))  # one a block at least
    idle = waits * machine.store_latency / blocks.equal
    together = read / machine.store_read_all + written / machine.store_write_all
    if machine.local:
        block = busy * machine.cores / blocks.equal + idle
        own = block * blocks.waves(machine.reading)
    else:
        link = busy / blocks.equal
        own = max(link * blocks.waves(machine.hosts), idle * blocks.waves(machine.slots))
        block = max(link, idle)
    return max(own, together) + block * blocks.uneven(tasks.pieces)


def overhead_seconds(
    count: int,
    slices: int,
    edges: int,
    sliced: float,
    machine: Machine,
    calls: int = 0,
    parts: float = 0.0,
) -> float:
    """Seconds of the scheduler, which handles one task at a time, and of the workers' threads.

    A block calls so many operators; threads of one process do that one at a time. Slices are copies
    in fresh memory, made before blocks are computed; of parts sent in bulk workers alone know.
    """
    tasks = count * machine.task + slices * machine.slice + edges * machine.edge
    called = count * calls * machine.call
    if machine.local:
        return tasks + called
    if slices:
        copied = 2 * sliced / machine.memory + slices * machine.fresh_seconds(sliced / slices)
        tasks += (copied + parts * PART_SECONDS) / min(machine.slots, slices)
    return tasks + ((count + slices) * machine.worker_task + called) / min(machine.slots, count)
