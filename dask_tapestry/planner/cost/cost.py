"""Cost of a step: seconds, bytes and tasks of a group of operators under a grid.

Every choice of a plan compares these numbers, `Plan.explain` prints them. A step's seconds are
those of its busiest resource, a part of the others', as they overlap not quite, and what its tasks
cost the scheduler and the workers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from math import ceil, prod
from typing import Any, Final, NamedTuple

from dask_tapestry.planner.access.blocks_together import Beside, read_together
from dask_tapestry.planner.access.bulk_exchange import bulk_exchange
from dask_tapestry.planner.access.remote_reads import InputReads, bytes_from_others
from dask_tapestry.planner.access.worker_runs import shares_at_home
from dask_tapestry.planner.cost.block_seconds import Order, block_seconds
from dask_tapestry.planner.cost.chunk_threads import chunk_threads
from dask_tapestry.planner.cost.footprint import Needs, needs_of, reach_of
from dask_tapestry.planner.cost.makespan import GridBlocks
from dask_tapestry.planner.cost.resource_seconds import StepTraffic, Tasks, Working, step_seconds
from dask_tapestry.planner.cost.store_requests import block_requests
from dask_tapestry.planner.cost.stored_reads import stored_bytes
from dask_tapestry.planner.cost.typical_blocks import typical_blocks
from dask_tapestry.planner.cost.user_resources import beyond_limits, step_amounts
from dask_tapestry.planner.machine.machine import USUAL_CODECS, Codecs, Machine
from dask_tapestry.planner.tuning import SLICE_SAVES_BYTES
from dask_tapestry.steps.access_strides import movement
from dask_tapestry.steps.chunk_alignment import Held
from dask_tapestry.steps.device_values import link_bytes
from dask_tapestry.steps.program import Program
from dask_tapestry.steps.symmetric_blocks import saves_half
from dask_tapestry.zspace import Cuts, ZRange

Needing = Callable[[Program, ZRange, Held, bool], Needs]

COUNTED: Final = ("read", "moved", "slices", "edges", "sliced", "parts", "crossed")


@dataclass(frozen=True, slots=True)
class StepCost:
    """What one step takes.

    Attributes
    ----------
    seconds
        From its first task to its last one.
    compute, network, store, overhead, link
        Seconds of kernels, of transfers between workers, of stores, of the scheduler and the
        workers' handling of tasks, and of the way between workers and their devices.
    read, written, moved
        Bytes that come from stores, go to stores, and go from worker to worker.
    flops
        Operations of all blocks.
    blocks, slices, edges
        Tasks that compute blocks, tasks that cut parts of other steps' blocks or exchange them in
        bulk, and blocks or parts that tasks wait for.
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
    codecs
        What encodes what comes from stores, and what goes there.
    chunk_threads, rounds, coding
        Threads that may decode and encode chunks of a block, in how many rounds, and how many do
        on average.
    sliced
        Bytes of all slices, each once.
    parts
        Parts of blocks that workers send each other in bulk.
    crossed
        Bytes between the memory of workers and that of their devices.
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
    codecs: Codecs = USUAL_CODECS
    chunk_threads: int = 1
    rounds: int = 1
    coding: float = 1.0
    sliced: float = 0.0
    parts: float = 0.0
    link: float = 0.0
    crossed: float = 0.0

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
        return self.compute + self.network + self.store + self.overhead + self.link

    @property
    def bound(self) -> str:
        """The resource that takes most seconds."""
        kinds = ("compute", "network", "store", "overhead", "link")
        return max(kinds, key=lambda kind: float(getattr(self, kind)))


class HeldReads(NamedTuple):
    """What all blocks of a step take of inputs that are held in blocks.

    Of these `moved` are the bytes that workers take from others.
    """

    edges: int
    slices: int
    sliced: float
    moved: float
    parts: int = 0


NOTHING_MET: Final = HeldReads(0, 0, 0.0, 0)


class BlocksAlike(NamedTuple):
    """What a block takes, and all blocks of a grid together if each is like it.

    Attributes
    ----------
    seconds
        Of one thread for a block.
    needs
        Of a block.
    own
        Amounts of the resources that users' operators name, of all blocks.
    crossed
        Bytes of a block over the link between a worker's memory and its device's.
    traffic
        Of all blocks.
    """

    seconds: float
    needs: Needs
    own: Mapping[str, float]
    crossed: float
    traffic: StepTraffic


def mean_of(kinds: Sequence[BlocksAlike], shares: Sequence[float]) -> BlocksAlike:
    """What blocks take in the mean that are of several kinds, and the most that one needs."""
    if len(kinds) == 1:
        return kinds[0]

    def mean(values: Iterable[float]) -> float:
        return sum(value * share for value, share in zip(values, shares, strict=True))

    needs = Needs(*map(max, zip(*[kind.needs for kind in kinds], strict=True)))
    traffic = StepTraffic._make(map(mean, zip(*[kind.traffic for kind in kinds], strict=True)))
    return BlocksAlike(
        mean(kind.seconds for kind in kinds),
        needs._replace(flops=round(mean(kind.needs.flops for kind in kinds))),
        {name: mean(kind.own.get(name, 0.0) for kind in kinds) for name in kinds[0].own},
        mean(kind.crossed for kind in kinds),
        traffic._replace(edges=ceil(traffic.edges), slices=ceil(traffic.slices)),
    )


def step_cost(
    program: Program,
    cuts: Sequence[Cuts],
    input_cuts: Held,
    machine: Machine,
    handy: int,
    order: Order = "C",
    needing: Needing = needs_of,
    beside: Beside = (),
) -> StepCost:
    """What the operators of a step take under a grid, whose inputs are `input_cuts` in blocks.

    Memory beyond `handy` bytes a block is not used again, but comes fresh from the system. Inputs
    and output lie in memory in such an `order`, and some inputs `beside` others. What a block needs
    is told by `needing`.
    """
    blocks = GridBlocks.of(cuts)
    writes = bool(program.lasting) and program.lasting[-1].is_sink
    written = program.type.nbytes if writes else 0
    writing = blocks.equal if written else 0.0

    def like(box: ZRange) -> BlocksAlike:
        needs = needing(program, box, input_cuts, machine.workers == 1)
        block = needs.work_times * block_seconds(program, box, machine, input_cuts, order)
        block += _fresh_seconds(program, box, needs.work, handy, machine)
        return BlocksAlike(
            seconds=block / 2 if saves_half(program, tuple(cuts)) else block,
            needs=needs,
            own=step_amounts(program, box, blocks.total, blocks.equal, machine),
            crossed=link_bytes(program, box),
            traffic=_step_traffic(program, cuts, box, input_cuts, needs, writing, machine, beside),
        )

    typical = typical_blocks(program, cuts)
    kinds = [like(one.box) for one in typical]
    block = mean_of(kinds, [one.share for one in typical])
    slowest = max([kind.seconds for kind in kinds])
    needs, traffic = block.needs, block.traffic
    codecs, threads = Codecs(*program.codecs), chunk_threads(program, blocks.total, machine)
    tasks = Tasks(blocks, needs.calls, needs.ahead, needs.pieces, codecs, threads, needs.rounds)
    working = _in_waves(block, slowest, tasks, program, machine)
    seconds = step_seconds(working, traffic, written, tasks, machine)
    return StepCost(
        **seconds._asdict(),
        read=traffic.read,
        written=written,
        moved=traffic.moved,
        flops=needs.flops * blocks.equal,
        blocks=blocks.total,
        slices=traffic.slices,
        edges=traffic.edges,
        touched=needs.touched,
        work=needs.work,
        own=block.own,
        beyond=beyond_limits(block.own, machine),
        calls=tasks.calls,
        ahead=tasks.ahead,
        pieces=tasks.pieces,
        codecs=tasks.codecs,
        chunk_threads=tasks.chunk_threads,
        rounds=tasks.rounds,
        sliced=traffic.sliced,
        parts=traffic.parts,
        crossed=block.crossed * blocks.equal,
    )


def with_taken(
    estimate: StepCost, traffic: StepTraffic, cuts: Sequence[Cuts], machine: Machine
) -> StepCost:
    """The cost of a step under a grid, of which all that its blocks take was counted."""
    counts: dict[str, Any] = {name: getattr(traffic, name) for name in COUNTED}
    link = estimate.link * traffic.crossed / estimate.crossed if estimate.crossed else 0.0
    e = replace(estimate, counted=True, link=link, **counts)
    tasks = Tasks(
        GridBlocks.of(cuts), e.calls, e.ahead, e.pieces, e.codecs, e.chunk_threads, e.rounds
    )
    seconds = step_seconds(Working(e.compute, e.link), traffic, e.written, tasks, machine)
    return replace(e, **seconds._asdict())


def _step_traffic(
    program: Program,
    cuts: Sequence[Cuts],
    box: ZRange,
    input_cuts: Held,
    needs: Needs,
    writing: float,
    machine: Machine,
    beside: Beside,
) -> StepTraffic:
    """What the blocks take if each takes what the largest one does; so many of these write."""
    reads = inputs_met(program, cuts, box, input_cuts, machine, beside)
    read = stored_bytes(program, cuts, box) if needs.stored else 0.0
    opened = block_requests(program, box) if read or writing else (0.0, 0.0)
    return StepTraffic(
        read=read,
        requests=(opened[0] * read / needs.stored if read else 0.0) + opened[1] * writing,
        moved=reads.moved,
        edges=reads.edges,
        slices=reads.slices,
        sliced=reads.sliced,
        parts=reads.parts,
    )


def _fresh_seconds(program: Program, box: ZRange, work: int, handy: int, machine: Machine) -> float:
    """Seconds of a block for memory that comes fresh from the system.

    Its value stays: in this process where results lie, as large for any grid; on a worker fresh.
    """
    own = min(work, box.size * program.type.dtype.itemsize)
    others = max(0, work - own - handy) / machine.fresh
    return others + (0.0 if machine.local else machine.fresh_seconds(own))


def _in_waves(
    block: BlocksAlike, slowest: float, tasks: Tasks, program: Program, machine: Machine
) -> Working:
    """Seconds of all blocks that take those of a `block` in the mean, the `slowest` at least."""
    blocks = tasks.blocks
    count, threads = blocks.total, 1
    if program.multithreaded and count <= machine.workers:
        threads = machine.threads  # each has a worker to itself
    times = blocks.waves(min(count, machine.slots)) + blocks.uneven(tasks.pieces)
    seconds = max(block.seconds * times, slowest)  # however few others wait for it
    return Working(seconds / threads, block.crossed / machine.link * times)


def inputs_met(
    program: Program,
    cuts: Sequence[Cuts],
    box: ZRange,
    held: Held,
    machine: Machine,
    beside: Beside = (),
) -> HeldReads:
    """What the blocks meet of inputs that are held in blocks, if each is like that of a box."""
    if all(own is None for own in held):
        return NOTHING_MET
    own = tuple([None if one is None else tuple(one) for one in held])
    who = machine.workers, machine.hosts, machine.in_bulk
    return _held_reads(program, tuple(cuts), box, own, *who, beside)


@lru_cache(maxsize=4096)  # for the least that a grid takes, and again when it is priced
def _held_reads(
    program: Program,
    cuts: tuple[Cuts, ...],
    box: ZRange,
    input_cuts: tuple[Sequence[Cuts] | None, ...],
    workers: int,
    hosts: int,
    in_bulk: bool,
    beside: Beside,
) -> HeldReads:
    boxes = program.schedule(box).boxes
    moves = () if workers == 1 else movement(program)
    at_home = shares_at_home(program, cuts, input_cuts, workers)
    count = prod([c.count for c in cuts])
    exchange = bulk_exchange(program, cuts, input_cuts, in_bulk)
    edges = slices = 0
    sliced = 0.0
    readings: list[InputReads] = []
    for number, (type_, own) in enumerate(zip(program.inputs, input_cuts, strict=True)):
        if own is None:
            continue
        reach = reach_of(boxes[number], tuple(own))
        exchanged = exchange is not None and number == exchange.number
        blocks_met = 1 if exchanged else reach.blocks
        edges += count * blocks_met
        if workers == 1:
            continue
        size = type_.dtype.itemsize
        exact, whole = reach.exact * size, reach.whole * size
        distinct = prod([cuts[d].count for d in moves[number].dims])
        fetch_size, fetches = whole, distinct * min(hosts, -(-count // distinct))
        if exchanged or (blocks_met and whole - exact >= blocks_met * SLICE_SAVES_BYTES):
            fetch_size = exact
            slices += 0 if exchanged else distinct * blocks_met
            sliced += exact * distinct
        most = reach.most * size * distinct
        fetched, once = fetch_size * fetches, fetch_size * distinct
        readings.append(InputReads(fetched, once, most, distinct, at_home[number]))
    together = read_together(program, cuts, input_cuts, beside) if readings else ()
    moved = sum(bytes_from_others(readings, workers, together))
    if exchange is None:
        return HeldReads(edges, slices, sliced, moved)
    edges, slices = edges + exchange.edges, slices + exchange.tasks
    return HeldReads(edges, slices, sliced, moved, exchange.parts)
