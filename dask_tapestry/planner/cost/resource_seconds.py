"""Seconds of a step: of kernels, network, stores, link and tasks, and of all of them together.

A step's seconds are those of its busiest resource, a part of the others', as they overlap not
quite, and what its tasks cost the scheduler and the workers. A device has few blocks at a time:
then they are at least those of all that such a block does, shared by these.
"""

from __future__ import annotations

from typing import NamedTuple

from dask_tapestry.planner.cost.makespan import GridBlocks
from dask_tapestry.planner.machine.machine import Codecs, Machine
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
    """Blocks, operators that each calls, pieces it reads ahead and has; the codecs of stores.

    And the threads of a worker that may decode and encode chunks of one block, which it reads and
    writes in so many rounds.
    """

    blocks: GridBlocks
    calls: int
    ahead: int
    pieces: int
    codecs: Codecs
    chunk_threads: int = 1
    rounds: int = 1


class Working(NamedTuple):
    """Seconds of all blocks, of kernels and of the link between worker and device."""

    compute: float
    link: float


class Seconds(NamedTuple):
    """The seconds of a step by resource, and the threads that code a block's chunks, on average."""

    seconds: float
    compute: float
    network: float
    store: float
    overhead: float
    link: float
    coding: float


def step_seconds(
    working: Working, traffic: StepTraffic, written: float, tasks: Tasks, machine: Machine
) -> Seconds:
    """Seconds of a step, of whose blocks those of kernels and of the link are known."""
    count, (compute, link) = tasks.blocks.total, working
    network = _network_seconds(traffic.moved, traffic.edges, count, machine)
    codec, stores = _store_seconds(traffic.read, written, traffic.requests, tasks, machine)
    coding = _coding_threads(traffic.requests, tasks, machine)
    of_threads = (compute + codec) * tasks.blocks.waves(machine.hosts) / machine.cores
    codec /= coding
    handled = (traffic.slices, traffic.edges, traffic.sliced)
    overhead = overhead_seconds(count, *handled, machine, tasks.calls, traffic.parts)
    waiting = _unoverlapped_share(count, machine)
    idle = machine.slots >= 2 * count  # a thread that computes no block decodes for each
    kernels, apart = (compute, codec) if machine.device or idle else (compute + codec, 0.0)
    reading = _reading_share(compute, codec, traffic.requests, tasks, machine)
    busy = (
        (kernels, reading),
        (network, waiting),
        (max(stores, apart), reading),
        (link, waiting),
    )
    longest, share = max(busy)
    apart = sum([seconds * part for seconds, part in busy]) - longest * share
    of_blocks = compute + link + codec + stores
    least = max(of_blocks / machine.in_flight, of_threads if idle else 0.0)
    together = max(longest + apart, least)
    return Seconds(
        together + overhead, compute, network, max(codec, stores), overhead, link, coding
    )


def least_step_seconds(
    threads: float, written: float, moved: float, count: int, machine: Machine
) -> float:
    """Seconds that no step can do without, but for reading and for handling its `count` tasks.

    Parameters
    ----------
    threads
        Seconds of kernels and of encoding, with all slots busy.
    written, moved
        Bytes that go to stores, and from worker to worker.
    """
    hosts = min(machine.hosts, count)
    store = max(written / machine.store / hosts, written / machine.store_all)
    busy = threads, transfer_seconds(moved, hosts, machine), store
    longest = max(busy)
    return longest + NEVER_OVERLAPPED * (sum(busy) - longest)


def _unoverlapped_share(count: float, machine: Machine) -> float:
    """The share of a resource's seconds that does not overlap with those of the busiest.

    A block waits for what it reads; only other blocks of its slot, if there are any, compute
    meanwhile. Of a block that reads ahead each piece counts, and of one that has a worker's other
    threads beside it: one thread's piece is read while others are computed.
    """
    return max(NEVER_OVERLAPPED, min(1.0, machine.slots / count))


def _reading_share(
    compute: float, codec: float, requests: float, tasks: Tasks, machine: Machine
) -> float:
    """The share of reading that overlaps neither with kernels nor with the codec.

    Chunks come while others of their block are decoded, but a block's kernels wait for all of them.
    """
    count = tasks.blocks.total
    waiting = _unoverlapped_share(count, machine)
    if machine.local:
        return waiting
    beside = machine.threads > 1 and count > machine.workers
    by_turns = tasks.pieces if beside else tasks.ahead
    of_kernels = _unoverlapped_share(count * by_turns, machine)
    if not codec:
        return of_kernels
    of_codec = _unoverlapped_share(max(count * by_turns, requests), machine)
    return (of_kernels * compute + of_codec * codec) / (compute + codec)


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
) -> tuple[float, float]:
    """Seconds of the threads for what is stored, and of the way to stores.

    Chunks are decoded and encoded by the threads that read and write them: of a thread's own
    seconds zstd gives .83 GB/s, .81 beside another (blosc 1.97 and 2.09, plain 7.8 and 6.7; chunks
    of 4 MiB in the page cache, AMD EPYC with 2 cores). Any thread of a worker may use its whole
    connection meanwhile, and waits for its own requests.
    """
    blocks = tasks.blocks
    codec = machine.codec_seconds(read, written, tasks.codecs) / blocks.equal
    link = (read + written) / machine.store / blocks.equal
    in_turn = blocks.equal * tasks.rounds / tasks.pieces  # reads, of which pieces read ahead
    waits = max(requests / machine.requests, min(requests, in_turn))
    idle = waits * machine.store_latency / blocks.equal
    turns, uneven = blocks.waves(machine.reading), blocks.uneven(tasks.pieces)
    together = (read + written) / machine.store_all
    way = max(idle * turns, link * blocks.waves(machine.hosts), together)
    return codec * (turns + uneven), way + max(idle, link) * uneven


def _coding_threads(requests: float, tasks: Tasks, machine: Machine) -> float:
    """Threads that decode and encode the chunks of a block on average: its own, and idle ones.

    Blocks wait for a thread each; their chunks are shared by all threads of a worker.
    """
    blocks = tasks.blocks
    most = min(tasks.chunk_threads, requests / (blocks.total * tasks.rounds))
    if most <= 1:
        return 1.0
    shared = max(blocks.waves(machine.hosts) / machine.cores, 1 / most)
    return max(1.0, (blocks.waves(machine.reading) + blocks.uneven(tasks.pieces)) / shared)


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
