"""Exact costs: what a chosen step reads, moves and waits for, over all its blocks.

While a plan is searched, thousands of grids are compared by what their largest block takes, times
the number of blocks; that takes .1 ms. Of the steps of the chosen plan everything is counted.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from math import prod

from dask_tapestry.planner.access.access import Access, UncountableError
from dask_tapestry.planner.access.blocks_together import Beside, read_together
from dask_tapestry.planner.access.bulk_exchange import bulk_exchange
from dask_tapestry.planner.access.remote_reads import InputReads, bytes_from_others
from dask_tapestry.planner.access.traffic import InputTraffic, traffic
from dask_tapestry.planner.access.worker_runs import shares_at_home
from dask_tapestry.planner.cost.cost import StepCost, with_taken
from dask_tapestry.planner.cost.makespan import GridBlocks
from dask_tapestry.planner.cost.resource_seconds import StepTraffic
from dask_tapestry.planner.cost.store_requests import block_requests
from dask_tapestry.planner.machine.machine import Machine
from dask_tapestry.planner.tuning import MOST_DIAGONAL
from dask_tapestry.steps.chunk_alignment import Held
from dask_tapestry.steps.device_values import crossing_bytes, value_places
from dask_tapestry.steps.program import Program
from dask_tapestry.steps.symmetric_blocks import is_symmetric
from dask_tapestry.zspace import Cuts, block_range, largest_box


def counted_cost(
    estimate: StepCost,
    program: Program,
    cuts: tuple[Cuts, ...],
    input_cuts: Held,
    machine: Machine,
    beside: Beside = (),
) -> StepCost:
    """The cost of a step, whose inputs are `input_cuts` in blocks, counted over all its blocks.

    The `estimate` itself where blocks fall into too many classes to be counted.
    """
    try:
        taken = counted(program, cuts, input_cuts, machine, beside)
        return with_taken(estimate, taken, cuts, machine)
    except UncountableError:
        return estimate


def counted(
    program: Program, cuts: tuple[Cuts, ...], held: Held, machine: Machine, beside: Beside = ()
) -> StepTraffic:
    """What all blocks of a step take from elsewhere.

    Raises
    ------
    UncountableError
        If there are too many classes of blocks.
    """
    own = tuple([None if h is None else tuple(h) for h in held])
    return _counted(program, cuts, own, machine.workers, machine.in_bulk, beside)


@lru_cache(maxsize=1024)  # the plans that a search compares have most steps in common
def _counted(
    program: Program,
    cuts: tuple[Cuts, ...],
    own: tuple[tuple[Cuts, ...] | None, ...],
    workers: int,
    in_bulk: bool,
    beside: Beside,
) -> StepTraffic:
    access = Access.of(program, cuts)
    total = traffic(access, own, workers, workers == 1)
    equal = GridBlocks.of(cuts).equal
    at_home = shares_at_home(program, cuts, own, workers)
    readings = [
        _reading(each, access.count)._replace(at_home=share)
        for each, share, held in zip(total.inputs, at_home, own, strict=True)
        if held is not None
    ]
    together = read_together(program, cuts, own, beside)
    inputs, exchange = list(total.inputs), bulk_exchange(program, cuts, own, in_bulk)
    if exchange is not None:
        size = program.inputs[exchange.number].nbytes
        how = {"edges": access.count, "slices": 0, "sliced": size}
        inputs[exchange.number] = inputs[exchange.number]._replace(**how)
    return StepTraffic(
        read=total.stored,
        requests=total.requests + block_requests(program, largest_box(cuts))[1] * equal,
        moved=sum(bytes_from_others(readings, workers, together)),
        edges=_edges(access, own, sum(each.edges for each in inputs))
        + (exchange.edges if exchange else 0),
        slices=sum(each.slices for each in inputs) + (exchange.tasks if exchange else 0),
        sliced=sum(each.sliced for each in inputs),
        parts=exchange.parts if exchange else 0,
        crossed=_crossed(access),
    )


def _crossed(access: Access) -> float:
    """Bytes that all blocks send over the link between host and device."""
    if value_places(access.program) is None:
        return 0.0
    leaves = access.few_leaves
    return sum(x.domain.count * crossing_bytes(access.program, x.schedule) for x in leaves)


def _reading(each: InputTraffic, blocks: int) -> InputReads:
    """What `blocks` take of an input.

    One that reads several boxes can lie with one of them only, the largest, and shares it with
    those alone that read the same ones: it is taken to share none.
    """
    if each.reads <= blocks:
        return InputReads(each.fetched, each.distinct, each.nearest, each.boxes)
    return InputReads(each.fetched, each.moved, each.main, blocks)


def _edges(access: Access, input_cuts: tuple[tuple[Cuts, ...] | None, ...], edges: int) -> int:
    """Blocks and slices that tasks wait for, of all `edges` that there are if each is computed.

    Below the diagonal of a symmetric result a task waits for one block, which it transposes.
    """
    if not is_symmetric(access.program, access.cuts):
        return edges
    *batch, side, _ = [c.count for c in access.cuts]
    if prod(batch) * side > MOST_DIAGONAL:
        raise UncountableError(f"{prod(batch) * side} blocks on diagonals")
    diagonal = 0
    for *first, n in product(*[range(count) for count in (*batch, side)]):
        for boxes, own in zip(access.boxes((*first, n, n)), input_cuts, strict=True):
            met = [prod(map(len, block_range(own, box))) for box in boxes] if own else []
            diagonal += sum(max(1, n) for n in met)
    return (edges + diagonal) // 2 + prod(batch) * side * (side - 1) // 2
