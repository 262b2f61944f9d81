"""Computes on a cluster: hands it the graph and fetches results, block by block.

No worker ever holds a whole result. What is computed is asked for a few blocks at a time, and
workers free a block as soon as it is here. Results that all workers together cannot hold are
computed in several rounds: values that a later round needs, too, are kept until it has ended. The
blocks of a part of a round come here while workers compute those of others.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, product
from typing import Any, NamedTuple

from dask.base import collections_to_expr
from dask.core import flatten
from dask.utils import format_bytes

from dask_tapestry.errors import MemoryLimitError
from dask_tapestry.lower.assemble import check_lengths
from dask_tapestry.lower.dask_private import (
    Expr,
    FinalizeCompute,
    as_completed,
    seceded,
)
from dask_tapestry.lower.fetch_rounds import FetchRound, parts_underway, rounds_of
from dask_tapestry.lower.fp_error_events import without_collection
from dask_tapestry.lower.graph import Lowered
from dask_tapestry.lower.planned_expression import (
    TapestryExpr,
    TapestrySequence,
    as_hlg,
    lower_plan,
)
from dask_tapestry.lower.result_array import finish_array
from dask_tapestry.lower.result_buffer import REMOTE, ResultBuffer
from dask_tapestry.lower.users_functions import require_sendable
from dask_tapestry.lower.worker_changes import WorkerCountWatch, replanned_on_change
from dask_tapestry.memory.process_memory import free_memory
from dask_tapestry.planner.cost.step import memory_order
from dask_tapestry.planner.long_jobs import plan_to_run
from dask_tapestry.planner.memory.results import ResultMemory, rounds_that_fit
from dask_tapestry.planner.plan import PlannedGraph
from dask_tapestry.planner.replan import fitted
from dask_tapestry.planner.tuning import BYTES_ASKED_TOGETHER
from dask_tapestry.teg import Node
from dask_tapestry.zspace import Cuts, block_box
from dask_tapestry_kernels.block_format import BlockFormat, with_all_cells

Key = Any


class _Place(NamedTuple):
    """Where a block belongs: to a result, as one of its blocks."""

    result: _FetchedResult
    block: tuple[int, ...]


class _FetchedResult:
    """One result, into which blocks are written as they come; None of a write."""

    def __init__(self, plan: PlannedGraph, root: Node, format: BlockFormat | None) -> None:
        self.is_effect = plan.is_effect(root)
        self.cuts: tuple[Cuts, ...] = () if self.is_effect else plan.cuts_of(root)
        self.format, self.type = format, root.type
        step = plan.steps.get(root)
        order = "C" if step is None else memory_order(root, step.inputs)
        self.out = REMOTE if self.is_effect or format else ResultBuffer(root.type, order)
        self._blocks: dict[tuple[int, ...], Any] = {}

    def places(self, keys: Any) -> Iterator[tuple[Key, _Place]]:
        """The keys of its blocks, and what they are blocks of."""
        indices = product(*[range(c.count) for c in self.cuts])
        for key, index in zip(flatten(keys), indices, strict=True):
            yield key, _Place(self, index)

    def take(self, index: tuple[int, ...], block: Any) -> None:
        """Have the cells of a block in the result."""
        if self.is_effect:
            return
        box = block_box(self.cuts, index)
        check_lengths(block, box.shape, box.shape)
        if self.format is None:
            self.out.box(box)[...] = with_all_cells(block)
        else:
            self._blocks[index] = block

    def block_bytes(self, index: tuple[int, ...]) -> int:
        """Bytes of a block."""
        return block_box(self.cuts, index).size * self.type.dtype.itemsize if self.cuts else 0

    def value(self) -> Any:
        """The result, once all blocks are here."""
        if self.is_effect:
            return None
        indices = product(*[range(c.count) for c in self.cuts])
        blocks = () if self.format is None else [self._blocks[index] for index in indices]
        return finish_array(self.cuts, self.out, False, self.format, *blocks)


def fetch(
    exprs: Sequence[TapestryExpr], others: Sequence[Any], client: Any, options: Mapping[str, Any]
) -> tuple[list[Any], list[Any]]:
    """Compute values on the workers of `client`; return them, and those of `others`.

    Parameters
    ----------
    exprs
        Of arrays and writes, in blocks, not planned yet.
    others
        Dask's collections of other kinds, computed at the same time; each is joined on a worker.
    options
        Of the client, such as ``priority``.

    Raises
    ------
    MemoryLimitError
        If this process has no room for the results, or the workers cannot hold what is computed.
    """
    values: dict[int, Any] = {}
    found: list[Any] = []
    for members in _by_plan(exprs):
        own, beside = _of_one_plan(members, others, client, options)
        values.update(zip(map(id, members), own, strict=True))
        found, others = found or beside, ()
    return [values[id(expr)] for expr in exprs], found


def _by_plan(exprs: Sequence[TapestryExpr]) -> list[list[TapestryExpr]]:
    """Values that are planned together; those that bring a plan keep it."""
    groups: dict[int, list[TapestryExpr]] = {}
    for expr in exprs:
        groups.setdefault(id(expr.operand("plan")), []).append(expr)
    return list(groups.values())


def _of_one_plan(
    members: Sequence[TapestryExpr],
    others: Sequence[Any],
    client: Any,
    options: Mapping[str, Any],
) -> tuple[list[Any], list[Any]]:
    given = members[0].operand("plan")
    written: list[Node] = list(dict.fromkeys(e.operand("root") for e in members))
    plan = fitted(plan_to_run(written), client) if given is None else given

    def run(plan: PlannedGraph, watch: WorkerCountWatch) -> tuple[list[Any], list[Any]]:
        return _with_plan(plan, members, others, client, options, watch)

    return replanned_on_change(plan, client, run)


def _with_plan(
    plan: PlannedGraph,
    members: Sequence[TapestryExpr],
    others: Sequence[Any],
    client: Any,
    options: Mapping[str, Any],
    watch: WorkerCountWatch,
) -> tuple[list[Any], list[Any]]:
    numbers = [plan.written.roots.index(e.operand("root")) for e in members]
    results = [
        _FetchedResult(plan, plan.graph.roots[n], plan.written.roots[n].format) for n in numbers
    ]
    _require_room(results)
    require_sendable(plan)
    with without_collection():
        lowered, arrays = lower_plan(plan, ResultMemory.FETCHED)
    destinations: dict[Key, list[_Place]] = {}
    for number, result in zip(numbers, results, strict=True):
        for key, place in result.places(lowered.keys[number]):
            destinations.setdefault(key, []).append(place)
    if arrays is not None:
        arrays.send_ahead(client, next(iter(destinations)))
    rounds = 1 if others else rounds_that_fit(plan) or 1
    with seceded():
        beside = _take_all(lowered, destinations, rounds, others, client, options, watch)
    return [result.value() for result in results], beside


def _require_room(results: Sequence[_FetchedResult]) -> None:
    """Refuse results that this process has no room for."""
    whole = sum(0 if r.is_effect else r.type.nbytes for r in results)
    coming = min(whole, max(BYTES_ASKED_TOGETHER, *[_largest(r) for r in results]))
    free = free_memory()
    if whole > BYTES_ASKED_TOGETHER and whole + coming > free:
        raise MemoryLimitError(
            f"results_fit_the_client: the results take {format_bytes(whole)} in this process, and "
            f"their blocks on the way {format_bytes(coming)}; it has {format_bytes(free)} left. "
            "x.persist() keeps the blocks on the workers, and dt.to_zarr writes them"
        )


def _largest(result: _FetchedResult) -> int:
    return max(1, result.block_bytes((0,) * len(result.cuts)))


def _take_all(
    lowered: Lowered,
    places: Mapping[Key, list[_Place]],
    rounds: int,
    others: Sequence[Any],
    client: Any,
    options: Mapping[str, Any],
    watch: WorkerCountWatch,
) -> list[Any]:
    """Have all blocks computed and put where they belong; return the values of `others`."""
    kept_futures: dict[Key, Any] = {}  # futures of what a later round needs
    other_results: list[Any] = []
    parts = parts_underway(lowered.keys, rounds)
    underway = deque[_Underway]()

    def begin(fetch_round: FetchRound) -> _Underway:
        own = [*fetch_round.keys, *fetch_round.kept]
        expr = TapestryExpr(
            None, False, None, lowered.graph, own, fetch_round.name, None, lowered.job
        )
        wanted, others_now = _with_others(expr, others)
        keys = list(dict.fromkeys([*own, *others_now]))
        futures = dict(zip(keys, client.get(wanted, keys, sync=False, **options), strict=True))
        return _Underway(fetch_round, futures, others_now)

    def end(fetch_round: FetchRound, futures: dict[Key, Any], others_now: Sequence[Key]) -> None:
        now = () if others else chain.from_iterable(one.futures.values() for one in underway)
        with watch.cancelling(now):
            _take(fetch_round, futures, places, client)
        other_results.extend(client.gather([futures[key] for key in others_now]))
        kept_futures.update({key: futures.pop(key) for key in fetch_round.kept})
        _release(futures.values())
        _release([kept_futures.pop(key) for key in fetch_round.over])
        underway.popleft()

    try:
        for fetch_round in rounds_of(lowered.graph, lowered.keys, rounds * parts):
            if len(underway) == parts:
                end(*underway[0])
            underway.append(begin(fetch_round))
        while underway:
            end(*underway[0])
    finally:
        _release(chain(kept_futures.values(), *[one.futures.values() for one in underway]))
    return other_results


class _Underway(NamedTuple):
    """A round that workers compute, its futures, and the keys of other collections among them."""

    fetch_round: FetchRound
    futures: dict[Key, Any]
    others: Sequence[Key]


def _with_others(expr: TapestryExpr, others: Sequence[Any]) -> tuple[Expr, list[Key]]:
    """An expression together with those of other collections, and the keys of their values."""
    if not others:
        return expr, []
    made = FinalizeCompute(collections_to_expr(list(others))).optimize()
    return TapestrySequence(expr, as_hlg(made)), list(flatten(made.__dask_keys__()))


def _take(
    fetch_round: FetchRound,
    futures: Mapping[Key, Any],
    places: Mapping[Key, list[_Place]],
    client: Any,
) -> None:
    """Put the blocks of a round where they belong, as they are computed."""
    sizes = {
        key: max(p.result.block_bytes(p.block) for p in places[key]) for key in fetch_round.keys
    }
    pending, kept_keys = [futures[key] for key in fetch_round.keys], set(fetch_round.kept)
    at_once = sum(sizes.values()) <= BYTES_ASKED_TOGETHER
    batches = iter([pending]) if at_once else as_completed(pending, client).batches()
    for finished in batches:
        for few in _in_batches(finished, [sizes[future.key] for future in finished]):
            for future, value in zip(few, client.gather(few), strict=True):
                for place in places[future.key]:
                    place.result.take(place.block, value)
            _release(future for future in few if future.key not in kept_keys)


def _in_batches(futures: Sequence[Any], sizes: Sequence[int]) -> Iterator[list[Any]]:
    """Futures in groups whose values take no more than is asked for at a time, or are alone."""
    group, total = list[Any](), 0
    for future, size in zip(futures, sizes, strict=True):
        if group and total + size > BYTES_ASKED_TOGETHER:
            yield group
            group, total = [], 0
        group.append(future)
        total += size
    if group:
        yield group


def _release(futures: Iterable[Any]) -> None:
    """Say that values are not wanted any more: workers free them, and stop what computes them."""
    for future in futures:
        future.release()
