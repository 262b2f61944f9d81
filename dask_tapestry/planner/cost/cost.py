"""Cost of a step: seconds, bytes and tasks of a group of operators under a grid.

Every choice of a plan compares these numbers, `Plan.explain` prints them. A step's seconds are
those of its busiest resource, a part of the others', as they overlap not quite, and what its tasks
cost the scheduler and the workers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from math import prod
from typing import Any, Final

from dask_tapestry.late_named_tuple import NamedTuple
from dask_tapestry.planner.access.from_others import Reading, bytes_from_others
from dask_tapestry.planner.cost.block_seconds import Order, block_seconds, kernel_seconds
from dask_tapestry.planner.cost.footprint import Needs, needs_of, reach_of
from dask_tapestry.planner.cost.own_resources import beyond_limits, step_amounts
from dask_tapestry.planner.cost.store_requests import block_requests
from dask_tapestry.planner.cost.stored import stored_bytes
from dask_tapestry.planner.cost.waves import Blocks
from dask_tapestry.planner.fusion.movement import movement
from dask_tapestry.planner.fusion.program import Program
from dask_tapestry.planner.fusion.symmetric import is_own_transpose, saves_half
from dask_tapestry.planner.fusion.units import Held
from dask_tapestry.planner.machine.machine import SLICE_SAVES_BYTES, Machine
from dask_tapestry.zspace import Cuts, ZRange, largest_box

APART: Final = 0.1  # of a resource's seconds that never overlap with those of the busiest
COUNTED: Final = ("read", "moved", "slices", "edges", "sliced")
FETCH: Final = 0.01  # seconds until a value asked of another worker begins to arrive


@dataclass(frozen=True, slots=True)
class StepCost:
    """What one step takes.

    Attributes
    ----------
    seconds
        From its first task to its last one.
    compute, network, store, overhead
        Seconds of kernels, of transfers between workers, of stores, and of the scheduler and the
        workers' handling of tasks.
    read, written, moved
        Bytes that come from stores, go to stores, and go from worker to worker.
    flops
        Operations of all blocks.
    blocks, slices, edges
        Tasks that compute blocks, tasks that cut parts of other steps' blocks, and blocks or parts
        that tasks wait for.
    touched, work
        Bytes that a block handles, and peak bytes of its arrays.
    own
        Amounts of the resources that users' operators name.
    beyond
        By what part of their limits these go beyond them.
    counted
        Whether bytes, slices and edges are those of all blocks, not of the largest one times their
        number.
    calls
        Operators that a block calls.
    ahead
        Pieces of a block of which one is computed while the next one is read.
    pieces
        Pieces in which a block is computed, one after the other.
    plain
        Whether what comes from stores is not encoded.
    sliced
        Bytes of all slices, each once.
    """

    seconds: float
    compute: float
    network: float
    store: float
    overhead: float
    read: float
    written: float
    moved: float
    flops: float
    blocks: int
    slices: int
    edges: int
    touched: int
    work: int
    own: Mapping[str, float] = field(default_factory=dict)
    beyond: float = 0.0
    counted: bool = False
    calls: int = 1
    ahead: int = 1
    pieces: int = 1
    plain: bool = False
    sliced: float = 0.0

    @property
    def tasks(self) -> int:
        """Tasks, those that cut blocks for it included."""
        return self.blocks + self.slices

    @property
    def carried(self) -> float:
        """Bytes that come from stores and other workers."""
        return self.read + self.moved

    @property
    def busy(self) -> float:
        """Seconds of all resources, one after the other."""
        return self.compute + self.network + self.store + self.overhead

    @property
    def bound(self) -> str:
        """The resource that takes most seconds."""
        kinds = ("compute", "network", "store", "overhead")
        return max(kinds, key=lambda kind: float(getattr(self, kind)))


class Taken(NamedTuple):
    """What all blocks of a step take from elsewhere.

    Attributes
    ----------
    read, moved
        Bytes from stores, and from other workers.
    requests
        Stored chunks that are opened, those that are written too.
    edges, slices
        Blocks or parts of them that tasks wait for, and tasks that cut these parts.
    sliced
        Bytes that these cut.
    """

    read: float
    requests: float
    moved: float
    edges: int
    slices: int
    sliced: float


class _Tasks(NamedTuple):
    """Blocks, operators that each calls, pieces it reads ahead and has; what it reads is plain."""

    blocks: Blocks
    calls: int
    ahead: int
    pieces: int
    plain: bool


class _Met(NamedTuple):
    """What all blocks of a step take of inputs that are held in blocks."""

    edges: int
    slices: int
    sliced: float
    readings: Sequence[Reading]


NOTHING_MET: Final = _Met(0, 0, 0.0, ())


def step_cost(
    program: Program,
    cuts: Sequence[Cuts],
    held: Held,
    machine: Machine,
    handy: int,
    order: Order = "C",
) -> StepCost:
    """What the operators of a step take under a grid, whose inputs are `held` in blocks.

    Memory beyond `handy` bytes a block is not used again, but comes fresh from the system. Inputs
    and output lie in memory in such an `order`.
    """
    box = largest_box(cuts)
    blocks, needs = Blocks.of(cuts), needs_of(program, box, held, machine.workers == 1)
    writes = bool(program.lasting) and program.lasting[-1].is_sink
    written = program.type.nbytes if writes else 0
    block = block_seconds(program, box, machine, held, order)
    own = step_amounts(program, box, blocks.total, blocks.equal, machine)
    block += _fresh_seconds(program, box, needs.work, handy, machine)
    if saves_half(program, tuple(cuts)):
        block /= 2
    tasks = _Tasks(blocks, needs.calls, needs.ahead, needs.pieces, program.reads_plain)
    compute = _in_waves(block, tasks, program, machine)
    writing = blocks.equal if written else 0.0
    taken = _taken(program, cuts, box, held, needs, writing, machine)
    network, store, overhead, total = _seconds(compute, taken, written, tasks, machine)
    return StepCost(
        seconds=total,
        compute=compute,
        network=network,
        store=store,
        overhead=overhead,
        read=taken.read,
        written=written,
        moved=taken.moved,
        flops=needs.flops * blocks.equal,
        blocks=blocks.total,
        slices=taken.slices,
        edges=taken.edges,
        touched=needs.touched,
        work=needs.work,
        own=own,
        beyond=beyond_limits(own, machine),
        calls=tasks.calls,
        ahead=tasks.ahead,
        pieces=tasks.pieces,
        plain=tasks.plain,
        sliced=taken.sliced,
    )


def least_seconds(program: Program, machine: Machine) -> float:
    """Seconds of kernels that a step takes under any grid, without handling tasks.

    All slots are busy throughout, and of a product with its own transpose half is computed.
    """
    kernels = kernel_seconds(program, program.type.box, machine)
    return kernels / (1 + is_own_transpose(program)) / machine.slots


def handling_seconds(program: Program, cuts: Sequence[Cuts], held: Held, machine: Machine) -> float:
    """Seconds of handling the tasks of a step under a grid, of one operator each."""
    met = _inputs_met(program, cuts, held, machine)
    count = prod([c.count for c in cuts])
    return overhead_seconds(count, met.slices, met.edges, met.sliced, machine)


def with_taken(
    estimate: StepCost, taken: Taken, cuts: Sequence[Cuts], machine: Machine
) -> StepCost:
    """The cost of a step under a grid, of which all that its blocks take was counted."""
    counts: dict[str, Any] = {name: getattr(taken, name) for name in COUNTED}
    e = replace(estimate, counted=True, **counts)
    tasks = _Tasks(Blocks.of(cuts), e.calls, e.ahead, e.pieces, e.plain)
    network, store, overhead, total = _seconds(e.compute, taken, e.written, tasks, machine)
    return replace(e, seconds=total, network=network, store=store, overhead=overhead)


def _taken(
    program: Program,
    cuts: Sequence[Cuts],
    box: ZRange,
    held: Held,
    needs: Needs,
    writing: float,
    machine: Machine,
) -> Taken:
    """What the blocks take if each takes what the largest one does; so many of these write."""
    met = _inputs_met(program, cuts, held, machine)
    read = stored_bytes(program, cuts, box) if needs.stored else 0.0
    opened = block_requests(program, box) if read or writing else (0.0, 0.0)
    return Taken(
        read=read,
        requests=(opened[0] * read / needs.stored if read else 0.0) + opened[1] * writing,
        moved=sum(bytes_from_others(met.readings, machine.workers)),
        edges=met.edges,
        slices=met.slices,
        sliced=met.sliced,
    )


def _seconds(
    compute: float, taken: Taken, written: float, tasks: _Tasks, machine: Machine
) -> tuple[float, float, float, float]:
    """Seconds of the network, of stores, of handling tasks, and of the step."""
    count = tasks.blocks.total
    network = _network_seconds(taken.moved, taken.edges, count, machine)
    store = _store_seconds(taken.read, written, taken.requests, tasks, machine)
    handled = (taken.slices, taken.edges, taken.sliced)
    overhead = overhead_seconds(count, *handled, machine, tasks.calls)
    waiting = _apart(count, machine)
    beside = machine.threads > 1 and count > machine.workers
    by_turns = tasks.pieces if beside else tasks.ahead
    reading = waiting if machine.local else _apart(count * by_turns, machine)
    busy = ((compute, reading), (network, waiting), (store, reading))
    longest, share = max(busy)
    apart = sum([seconds * part for seconds, part in busy]) - longest * share
    return network, store, overhead, longest + apart + overhead


def _apart(count: int, machine: Machine) -> float:
    """The share of a resource's seconds that does not overlap with those of the busiest.

    A block waits for what it reads; only other blocks of its slot, if there are any, compute
    meanwhile. Of a block that reads ahead each piece counts, and of one that has a worker's other
    threads beside it: one thread's piece is read while others are computed.
    """
    return max(APART, min(1.0, machine.slots / count))


def _network_seconds(moved: float, messages: int, count: int, machine: Machine) -> float:
    if not moved:
        return 0.0
    every = moved / machine.network + messages * machine.latency
    return (0.0 if machine.local else FETCH) + every / min(machine.hosts, count)


def _store_seconds(
    read: float, written: float, requests: float, tasks: _Tasks, machine: Machine
) -> float:
    """Seconds of stores: those that threads of this process take, or a worker's connection.

    Local chunks are decoded by the threads that read them, each of which has its part of the rate;
    any thread of a worker elsewhere may use its whole connection.
    """
    parts = machine.threads if machine.local else 1
    busy = read / machine.read_rate(tasks.plain) + written / machine.store_write
    block = (busy + requests * machine.store_latency) * parts / tasks.blocks.equal
    together = read / machine.store_read_all + written / machine.store_write_all
    taken = tasks.blocks.waves(machine.hosts * parts)
    return max(block * taken, together) + block * tasks.blocks.uneven(tasks.pieces)


def overhead_seconds(
    count: int, slices: int, edges: int, sliced: float, machine: Machine, calls: int = 0
) -> float:
    """Seconds of the scheduler, which handles one task at a time, and of the workers' threads.

    A block calls so many operators; threads of one process do that one at a time. Slices are copies
    in fresh memory, made before blocks are computed.
    """
    tasks = count * machine.task + slices * machine.slice + edges * machine.edge
    called = count * calls * machine.call
    if machine.local:
        return tasks + called
    if slices:
        copied = 2 * sliced / machine.memory + slices * machine.fresh_seconds(sliced / slices)
        tasks += copied / min(machine.slots, slices)
    return tasks + ((count + slices) * machine.worker_task + called) / min(machine.slots, count)


def _fresh_seconds(program: Program, box: ZRange, work: int, handy: int, machine: Machine) -> float:
    """Seconds of a block for memory that comes fresh from the system.

    Its value stays: in this process where results lie, as large for any grid; on a worker fresh.
    """
    own = min(work, box.size * program.type.dtype.itemsize)
    others = max(0, work - own - handy) / machine.fresh
    return others + (0.0 if machine.local else machine.fresh_seconds(own))


def _in_waves(block: float, tasks: _Tasks, program: Program, machine: Machine) -> float:
    """Seconds of all blocks, of which the largest takes those of a `block`."""
    blocks = tasks.blocks
    count = blocks.total
    if program.multithreaded and count <= machine.workers:
        block /= machine.threads  # each has a worker to itself
    return block * (blocks.waves(min(count, machine.slots)) + blocks.uneven(tasks.pieces))


def _inputs_met(program: Program, cuts: Sequence[Cuts], held: Held, machine: Machine) -> _Met:
    """What the blocks meet of inputs that are held in blocks."""
    if all(own is None for own in held):
        return NOTHING_MET
    own = tuple([None if one is None else tuple(one) for one in held])
    return _met(program, tuple(cuts), own, machine.workers, machine.hosts)


@lru_cache(maxsize=256)  # for the least that a grid takes, and again when it is priced
def _met(
    program: Program,
    cuts: tuple[Cuts, ...],
    held: tuple[Sequence[Cuts] | None, ...],
    workers: int,
    hosts: int,
) -> _Met:
    box = largest_box(cuts)
    boxes, moves = program.schedule(box).boxes, movement(program)
    count = prod([c.count for c in cuts])
    edges = slices = 0
    sliced = 0.0
    readings: list[Reading] = []
    for number, (type_, own) in enumerate(zip(program.inputs, held, strict=True)):
        if own is None:
            continue
        reach = reach_of(boxes[number], tuple(own))
        met = reach.blocks
        edges += count * met
        if workers == 1:
            continue
        size = type_.dtype.itemsize
        exact, whole = reach.exact * size, reach.whole * size
        distinct = prod([cuts[d].count for d in moves[number].dims])
        sent, fetches = whole, distinct * min(hosts, -(-count // distinct))
        if met and whole - exact >= met * SLICE_SAVES_BYTES:
            sent = exact
            slices += distinct * met
            sliced += exact * distinct
        most = reach.most * size * distinct
        readings.append(Reading(sent * fetches, sent * distinct, most, distinct))
    return _Met(edges, slices, sliced, readings)
