"""Traffic block by block: what `traffic` tells at once, counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from itertools import product
from math import prod
from random import Random
from typing import Any

from dask_tapestry.lower import block_inputs
from dask_tapestry.planner.access import bulk_exchange, distinct_slices, traffic
from dask_tapestry.planner.access.access import Access
from dask_tapestry.planner.access.traffic import InputTraffic, Traffic
from dask_tapestry.planner.cost import cost, exact_costs
from dask_tapestry.planner.tuning import SLICE_SAVES_BYTES
from dask_tapestry.steps.program import Program
from dask_tapestry.teg import Source
from dask_tapestry.zspace import Cuts, ZRange, block_box, block_range
from tests.planner.small_steps import random_cuts, random_step

MOST_BLOCKS = 400


def indices(cuts: tuple[Cuts, ...]) -> Iterator[tuple[int, ...]]:
    """The blocks of a grid."""
    return product(*[range(c.count) for c in cuts])


def counted_traffic(program: Program, cuts, held, workers: int, saves: int | None) -> Traffic:
    """The traffic of all blocks; slices are cut that save so many bytes, or none."""
    boxes = [program.input_boxes(block_box(cuts, index)) for index in indices(cuts)]
    found = []
    for number, own in enumerate(held):
        if own is None:
            found.append(InputTraffic())
            continue
        times = Counter(_read(box) for block in boxes for box in block[number])
        found.append(
            counted_input(times, own, program.inputs[number].dtype.itemsize, workers, saves)
        )
    stored = requests = 0
    for index in indices(cuts):
        for work in program.schedule(block_box(cuts, index)).works:
            source = program.instructions[work.value - len(program.inputs)].operator
            if isinstance(source, Source) and source.stored_bytes(work.box):
                stored += source.stored_bytes(work.box)
                if source.chunks is None:
                    continue
                spans = zip(work.box.lo, work.box.hi, source.chunks, strict=True)
                requests += prod(-(-hi // side) - lo // side for lo, hi, side in spans)
    return Traffic(tuple(found), stored, requests)


def _read(box: ZRange) -> ZRange:
    """A box; of those without cells always the same one."""
    return box if box.size else ZRange((0,) * box.ndim, (0,) * box.ndim)


def counted_input(
    times: Counter[ZRange], held: tuple[Cuts, ...], itemsize: int, workers: int, saves: int | None
) -> InputTraffic:
    """What boxes that are read so many times take of one input."""
    cells = whole = edges = moved = distinct = fetched = nearest = sliced = 0
    slices = set()
    for box, n in times.items():
        sent = largest = 0
        for number in product(*block_range(held, box)):
            block = block_box(held, number)
            part = block.intersection(box)
            largest = max(largest, part.size)
            edges += n
            cells += n * part.size
            whole += n * block.size * (not box.is_empty)
            if saves is not None and (block.size - part.size) * itemsize >= saves:
                slices.add((number, part))
                sent += part.size * itemsize
                sliced += part.size * itemsize
            else:
                sent += block.size * itemsize
        moved, distinct = moved + n * sent, distinct + sent
        fetched, nearest = fetched + min(n, workers) * sent, nearest + largest * itemsize
    totals = (cells, whole, edges, len(slices), moved, distinct, fetched, nearest)
    return InputTraffic(*totals, boxes=len(times), reads=sum(times.values()), sliced=sliced)


def same_but_main(found: Traffic, counted: Traffic) -> bool:
    """Whether totals are equal; what lies in the largest boxes is told about."""
    assert all(0 <= one.main <= one.nearest for one in found.inputs)
    plain = [
        told._replace(inputs=tuple([each._replace(main=0.0) for each in told.inputs]))
        for told in (found, counted)
    ]
    return plain[0] == plain[1]


@contextmanager
def any_saving() -> Iterator[Callable[[int], None]]:
    """Context with a function that sets how many bytes a slice must save."""
    modules: tuple[Any, ...] = (traffic, distinct_slices, block_inputs, cost, bulk_exchange)

    def set_bytes(saves: int) -> None:
        for module in modules:
            module.SLICE_SAVES_BYTES = saves
        traffic.input_traffic.cache_clear()
        bulk_exchange.bulk_exchange.cache_clear()

    try:
        yield set_bytes
    finally:
        set_bytes(SLICE_SAVES_BYTES)


def any_exchange() -> AbstractContextManager[None]:
    """Context in which few parts of blocks are exchanged in bulk, as many are otherwise."""
    return _exchanged_from(2, 0.1)


def in_slices() -> AbstractContextManager[None]:
    """Context in which nothing is exchanged in bulk."""
    return _exchanged_from(10**12, 1.0)


@contextmanager
def _exchanged_from(least: int, saves: float) -> Iterator[None]:
    module: Any = bulk_exchange
    usual = module.EXCHANGE_LEAST, module.EXCHANGE_SAVES

    def exchange_from(least: int, saves: float) -> None:
        module.EXCHANGE_LEAST, module.EXCHANGE_SAVES = least, saves
        for known in (module.bulk_exchange, cost._held_reads, exact_costs._counted):
            known.cache_clear()

    exchange_from(least, saves)
    try:
        yield
    finally:
        exchange_from(*usual)


def small_traffic(seed: int, saving: Callable[[int], None]) -> tuple[Traffic, Traffic] | None:
    """The traffic of a random step, and what is counted of it; None if it has many blocks."""
    random = Random(seed)
    program, cuts = random_step(random)
    if prod(c.count for c in cuts) > MOST_BLOCKS:
        return None
    held = tuple(
        None if random.random() < 0.1 else tuple(random_cuts(random, n) for n in x.shape)
        for x in program.inputs
    )
    saves, workers = random.choice((1, 8, 40, 200, 4096)), random.choice((1, 2, 4, 16))
    local = random.random() < 0.1
    saving(saves)
    found = traffic.traffic(Access(program, cuts), held, workers, local)
    return found, counted_traffic(program, cuts, held, workers, None if local else saves)
