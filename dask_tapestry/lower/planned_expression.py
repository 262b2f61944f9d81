"""Dask expressions of our values: all roots of one compute are planned together, on the client.

Dask asks each collection for its expression before it sees the next one. Ours replace the sequence
they are put in by one that plans them jointly, keeps the order of results, and leaves the other
collections in it alone. Only the symbolic layers travel to the scheduler.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from dask.core import flatten
from dask.highlevelgraph import HighLevelGraph

from dask_tapestry.errors import ComputeError, DTypeError, StoreError
from dask_tapestry.io.sources.bytes_on_workers import are_gone
from dask_tapestry.io.sources.dask_blocks_source import BlockSource
from dask_tapestry.lower import job
from dask_tapestry.lower.client_arrays import ClientArrays
from dask_tapestry.lower.cluster_jobs import sent
from dask_tapestry.lower.dask_private import (
    Expr,
    ExprSequence,
    HLGExpr,
    HLGExprSequence,
    known_futures,
)
from dask_tapestry.lower.dry_run import report_dry_run
from dask_tapestry.lower.dry_run_state import is_dry_run
from dask_tapestry.lower.fp_error_events import hear_from, raised_by_blocks, without_collection
from dask_tapestry.lower.graph import Lowered, Lowering
from dask_tapestry.lower.job import Job
from dask_tapestry.lower.job_announcements import announce, announce_here, recorded
from dask_tapestry.lower.materialize import materialize
from dask_tapestry.lower.retry_events import hear_retries_from
from dask_tapestry.lower.temporary_values import exchanged_through
from dask_tapestry.planner.cost.step import with_first
from dask_tapestry.planner.long_jobs import plan_to_run
from dask_tapestry.planner.machine.resources import live_client
from dask_tapestry.planner.memory.results import ResultMemory
from dask_tapestry.planner.plan import PlannedGraph
from dask_tapestry.planner.replan import fitted
from dask_tapestry.teg import Node

LoweredPlan = tuple[Lowered, ClientArrays | None]


def lower_plan(plan: PlannedGraph, results: ResultMemory, names: Sequence[str] = ()) -> LoweredPlan:
    """Verify a plan and write its layers; a live cluster may ask for arrays in memory.

    With `names`, blocks of each root have its name in their keys.
    """
    if is_dry_run():
        return report_dry_run(plan, results, for_dask=bool(names)), None
    plan.verify_once(results)
    _require_kept_blocks(plan)
    client = live_client()
    if client is not None:
        hear_from(client)
        hear_retries_from(client)
        _refuse_local_members(plan)
    run = uuid4().hex
    plan = plan.for_run(run)
    sources = [x.digest for x in plan.sources.values()]
    kept = results is ResultMemory.KEPT
    told = [*sources, *plan.stamps, *raised_by_blocks()]
    is_lasting = kept and exchanged_through(plan) is None  # what is exchanged is of this run alone
    plan = replace(plan, steps=with_first(plan.steps, " ".join(told) if is_lasting else run))
    arrays = ClientArrays() if client is not None else None
    named = dict(zip(plan.graph.roots, names, strict=False))
    in_bulk = client is not None and not named
    lowering = Lowering(plan, arrays, client, named, run, in_bulk)
    lowered = lowering.lower(results is ResultMemory.JOINED)
    if client is not None or recorded():
        lowered.job = job.describe(plan, named, lowered.graph, run)
        if client is None:
            announce_here(lowered.job)
        else:
            sent(client, lowered.job)
    if arrays is not None:
        arrays.needed_for(flatten(lowered.keys))
    if lowered.folder is not None:
        lowered.folder.needed_for(frozenset(flatten(lowered.keys)))
    return lowered, arrays


def for_other_collections(lowered: LoweredPlan) -> LoweredPlan:
    """Layers on whose blocks other collections may stand: what these need is kept for any key."""
    layers, arrays = lowered
    if arrays is not None:
        arrays.needed_for(None)
    if layers.folder is not None:
        layers.folder.needed_for(None)
    return lowered


def _require_kept_blocks(plan: PlannedGraph) -> None:
    """Refuse blocks that a cluster kept and has no more, in place of waiting for them."""
    for node in plan.sources.values() or plan.written:  # the graph's own where it has no slots
        source = node.operator
        if isinstance(source, BlockSource) and are_gone(source.key_name, source.graph):
            raise ComputeError(
                f"blocks of {source.type} that workers kept, as of persist(), are gone: their "
                "client was closed, or restarted its workers. Persist the array again, or write it "
                "to a store"
            )


def _refuse_local_members(plan: PlannedGraph) -> None:
    for step in plan.steps.values():
        for member in step.members:
            reason = plan.source(member).operator.local_only
            if reason:
                raise StoreError(reason)


class TapestryExpr(HLGExpr):
    """One value as a Dask expression; `dsk` is its graph once it is planned.

    Parameters
    ----------
    root
        The node; None after travelling.
    final
        Whether the result is wanted as one array rather than in blocks.
    plan
        A plan made beforehand, or None.
    held
        What must live as long as its results can come: offers of data, and layouts.
    job
        What is told of it to those who watch.
    """

    _parameters = ["root", "final", "plan", "dsk", "output_keys", "name", "held", "job"]  # noqa: RUF012
    _defaults = {  # noqa: RUF012
        "final": False,
        "plan": None,
        "dsk": None,
        "output_keys": None,
        "name": None,
        "held": None,
        "job": None,
    }
    low_level_optimizer = None
    postcompute = None

    if TYPE_CHECKING:  # Dask's own are not annotated

        def __init__(self, *operands: Any) -> None: ...
        def operand(self, key: str) -> Any: ...

    @property
    def _name(self) -> str:
        if self.operand("name") is None:
            made = f"-{id(self.operand('plan'))}" if self.operand("plan") is not None else ""
            root, final = self.operand("root"), self.operand("final")
            return f"tapestryexpr-{root.digest}-{final}{made}"
        return str(self.operand("name"))

    def __dask_tokenize__(self) -> str:
        return self._name

    def _operands_for_repr(self) -> list[str]:
        return [self._name]

    @property
    def deterministic_token(self) -> str:
        return self._name

    def finalize_compute(self) -> TapestryExpr:
        return TapestryExpr(self.operand("root"), True, self.operand("plan"))

    def _simplify_up(self, parent: Expr, dependents: Any) -> Expr | None:
        if type(parent) in (ExprSequence, HLGExprSequence):
            return TapestrySequence(*parent.operands)
        return None

    def _planned(self) -> None:
        if self.operand("dsk") is None:
            (done,) = plan_jointly([self])
            for name in ("dsk", "output_keys", "name", "held", "job"):
                setattr(self, name, done.operand(name))

    @property
    def ndim(self) -> int:
        """What `dask.dataframe.from_array` asks first, which reads no arrays of others' kinds."""
        raise DTypeError(
            "dask.dataframe takes no arrays of other libraries: x.to_dask_dataframe() makes a "
            "dataframe of one, a partition for each of its chunks of rows"
        )

    @property
    def hlg(self) -> HighLevelGraph:
        self._planned()
        graph: HighLevelGraph = self.operand("dsk")
        return graph

    def __dask_keys__(self) -> list[Any]:
        self._planned()
        keys: list[Any] = self.operand("output_keys")
        return keys

    def __dask_graph__(self) -> dict[Any, Any]:
        return materialize(self.hlg, flatten(self.__dask_keys__()))

    _layer = __dask_graph__

    def __dask_annotations__(self) -> dict[str, dict[Any, Any]]:
        return annotations_of(self.hlg)

    def __reduce__(self) -> tuple[Any, ...]:
        self._planned()
        keys, told = self.operand("output_keys"), self.operand("job")
        operands = (self.operand("dsk"), keys, self._name, told)
        return _travelled, operands


def _travelled(graph: HighLevelGraph, keys: list[Any], name: str, told: Job | None) -> TapestryExpr:
    announce(told)
    return TapestryExpr(None, True, None, graph, keys, name)


class TapestrySequence(HLGExprSequence):
    """Several collections computed together, ours planned as one."""

    if TYPE_CHECKING:  # Dask's own is not annotated

        def __init__(self, *operands: Expr) -> None: ...

    def _simplify_down(self) -> Expr | None:
        for operand in self.operands:
            if hasattr(operand, "all_planned"):  # a collection of several arrays
                return TapestrySequence(*operand.all_planned(self.operands))
        unplanned = [o for o in self.operands if _is_unplanned(o)]
        foreign = [o for o in self.operands if not isinstance(o, HLGExpr)]
        if not unplanned and not foreign:
            return None
        with without_collection():
            planned = iter(plan_jointly(unplanned, submitted=True))
        return TapestrySequence(
            *[next(planned) if _is_unplanned(o) else as_hlg(o) for o in self.operands]
        )

    def __dask_tokenize__(self) -> str:
        names = " ".join(operand._name for operand in self.operands)
        return blake2b(names.encode(), digest_size=16).hexdigest()

    def _operands_for_repr(self) -> list[str]:
        return [str(o) for o in self.operands]

    def finalize_compute(self) -> Expr:
        return TapestrySequence(*[o.finalize_compute() for o in self.operands])

    def _tune_down(self) -> None:
        return None  # Dask's regrouping changes the order of results

    def __dask_graph__(self) -> dict[Any, Any]:
        graph: dict[Any, Any] = {}
        for operand in self.operands:
            graph |= operand.__dask_graph__()
        return graph

    _layer = __dask_graph__

    def __dask_annotations__(self) -> dict[str, dict[Any, Any]]:
        merged: dict[str, dict[Any, Any]] = {}
        for operand in self.operands:
            for kind, values in operand.__dask_annotations__().items():
                merged.setdefault(kind, {}).update(values)
        return merged


def _is_unplanned(operand: Any) -> bool:
    return isinstance(operand, TapestryExpr) and operand.operand("dsk") is None


def as_hlg(operand: Any) -> Any:
    """Turn an expression of another kind into one that holds its tasks."""
    if isinstance(operand, HLGExpr):
        return operand
    optimized = operand.optimize()
    graph = HighLevelGraph.from_collections(
        optimized._name, optimized.__dask_graph__(), dependencies=()
    )
    return HLGExpr(dsk=graph, output_keys=optimized.__dask_keys__())


def plan_jointly(exprs: list[TapestryExpr], submitted: bool = False) -> list[TapestryExpr]:
    """Plan values of one compute together; return their expressions with graph and keys.

    Values that bring a plan of their own keep it. What is `submitted` runs at once: arrays in this
    process's memory are sent ahead.
    """
    planned: dict[int, TapestryExpr] = {}
    groups: dict[int, list[TapestryExpr]] = {}
    for expr in exprs:
        groups.setdefault(id(expr.operand("plan")), []).append(expr)
    for members in groups.values():
        final = bool(members[0].operand("final"))
        roots: list[Node] = list(dict.fromkeys(e.operand("root") for e in members))
        plan = members[0].operand("plan")
        core = plan if plan is not None else fitted(plan_to_run(roots), live_client())
        lowered, arrays = lower_plan(core, ResultMemory.JOINED if final else ResultMemory.KEPT)
        keys, graph, kept = list(flatten(lowered.keys)), lowered.graph, None
        if submitted and arrays is not None:
            kept = known_futures(live_client(), keys)
            if kept is None:
                arrays.send_ahead(live_client(), keys[0])
            else:  # other tasks of the same keys are no use, and Dask would warn of them
                graph = HighLevelGraph({}, {})
        for expr in members:
            number = core.written.roots.index(expr.operand("root"))
            planned[id(expr)] = TapestryExpr(
                expr.operand("root"),
                final,
                plan,
                graph,
                lowered.keys[number],
                f"tapestryexpr-{uuid4().hex}",
                (arrays, lowered.layouts, kept),
                lowered.job,
            )
    return [planned[id(expr)] for expr in exprs]


def annotations_of(graph: HighLevelGraph) -> dict[str, dict[Any, Any]]:
    """Annotations of a graph's layers, for each of their tasks."""
    by_layer: dict[str, dict[Any, Any]] = {}
    for layer in graph.layers.values():
        notes: Mapping[str, Any] = layer.annotations or {}
        for kind, value in notes.items():
            by_layer.setdefault(kind, {}).update(
                {key: value(key) if callable(value) else value for key in layer}
            )
    return by_layer
