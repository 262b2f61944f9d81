"""From a plan to Dask's graph (HighLevelGraph): a symbolic layer a step, a task a result."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from hashlib import blake2b
from math import prod
from types import MappingProxyType
from typing import Any, Final
from uuid import uuid4

import numpy as np
from dask.highlevelgraph import HighLevelGraph, MaterializedLayer

from dask_tapestry.io.sources.bytes_on_workers import holds_futures
from dask_tapestry.io.sources.dask_blocks_source import BlockSource
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.lower.blocks_brought_here import brought_here
from dask_tapestry.lower.bulk_exchange_layers import (
    ExchangeNames,
    ReceiveLayer,
    SendLayer,
    WaitLayer,
    bulk_exchange_of,
)
from dask_tapestry.lower.cancellation import Cancellation, is_watched
from dask_tapestry.lower.client_arrays import ClientArrays
from dask_tapestry.lower.joined_blocks import buffers_between, lie_in_a_row, share_results
from dask_tapestry.lower.layers import (
    AliasLayer,
    BarrierLayer,
    EndedLayer,
    FinishLayer,
    GatherLayer,
    PrepareLayer,
    StepLayer,
)
from dask_tapestry.lower.result_buffer import REMOTE, ResultBuffer
from dask_tapestry.lower.result_layout import ResultLayout, register_layout
from dask_tapestry.lower.shared_keys import TakenKeys, renamed, renamed_key
from dask_tapestry.lower.slices import SliceLayer
from dask_tapestry.lower.step_spec import StepSpec
from dask_tapestry.lower.symbolic_layer import Key, SymbolicLayer
from dask_tapestry.lower.temporary_values import FolderLease, lease_of_folder
from dask_tapestry.lower.worker_placement import (
    beside_blocks,
    device_resources,
    for_any_worker,
    placement,
)
from dask_tapestry.planner.access.bulk_exchange import BulkExchange
from dask_tapestry.planner.cost.step import Step, memory_order
from dask_tapestry.planner.cost.values_in_runs import values_in_runs
from dask_tapestry.planner.fusion.annotation_groups import annotations_of_step
from dask_tapestry.planner.fusion.external_inputs import is_embedded
from dask_tapestry.planner.plan import PlannedGraph
from dask_tapestry.teg import Node, Sink
from dask_tapestry.teg.annotations import PLACING
from dask_tapestry.zspace import Cuts
from dask_tapestry_kernels.block_format import BlockFormat

NO_NAMES: Final[Mapping[Node, str]] = MappingProxyType({})


@dataclass
class Lowered:
    """A plan as Dask layers.

    Attributes
    ----------
    graph
        All layers; those of other collections that the plan reads are among them.
    keys
        For each root: one key when it is wanted as a whole, else the nested keys of its blocks.
    layouts
        How the blocks of the roots lie.
    job
        What is told of it to those who watch; None where nobody does.
    folder
        The lease on what it writes for itself; None where it writes nothing.
    """

    graph: HighLevelGraph
    keys: list[Any]
    layouts: list[ResultLayout]
    job: dict[str, Any] | None = None
    folder: FolderLease | None = None


class Lowering:
    """Writes the layers of one plan.

    Parameters
    ----------
    arrays
        Offers arrays in memory to a cluster's tasks; None where these are in this process.
    client
        Dask's, whose workers steps may be kept on.
    names
        What layers of roots are called that no other step reads; by default as their steps.

    run
        Name of the compute, by which sinks know their own work, if the plan has been told it.
    in_bulk
        Whether blocks may be exchanged in bulk, which workers of distributed alone do, under keys
        that stay as they are; else they are sliced.
    """

    def __init__(
        self,
        plan: PlannedGraph,
        arrays: ClientArrays | None,
        client: Any = None,
        names: Mapping[Node, str] = NO_NAMES,
        run: str = "",
        in_bulk: bool = True,
    ) -> None:
        self.run = run or uuid4().hex
        self.plan = plan if run else plan.for_run(self.run)
        self.arrays, self.client, self.names, self.in_bulk = arrays, client, names, in_bulk
        self.layers: dict[str, Any] = {}
        self.dependencies: dict[str, set[str]] = {}
        self.ends: dict[Node, Key] = {}
        self.gathered: set[Node] = set()
        self.folder = lease_of_folder(self.plan, client)
        self.stop = Cancellation()
        self.taken, self.foreign = TakenKeys(), dict[BlockSource, str]()

    def lower(self, final: bool) -> Lowered:
        """Write all layers; with `final`, each root ends in one task with the whole result."""
        buffers = self._buffers() if final else self._kept_side_by_side()
        for node in self.plan.graph.nodes:
            if node.is_sequence_point:
                self._barrier(node)
            elif node in self.plan.steps:
                self._step(self.plan.steps[node], buffers.get(node, REMOTE))
        written = self.plan.written.roots
        formats = [node.format for node in written]
        roots = zip(self.plan.graph.roots, formats, strict=True)
        keys = [self._root(node, final, buffers, known) for node, known in roots]
        lease = self.arrays.lease if self.arrays and self.arrays.offers else None
        in_runs = set[Node]() if final else values_in_runs(self.plan)
        layouts = [
            register_layout(*self._layer_of(node), own.digest, lease, node in in_runs)
            for node, own in zip(self.plan.graph.roots, written, strict=True)
            if node not in self.ends
        ]
        graph = HighLevelGraph(self.layers, self.dependencies)
        return Lowered(graph, keys, layouts, folder=self.folder)

    def _buffers(self) -> dict[Node, ResultBuffer]:
        """Where the blocks of results come, and of values between that lie as well in one array."""
        steps = self.plan.steps
        between = buffers_between(steps) if self.arrays is None else {}
        results = {
            node: ResultBuffer(node.type, memory_order(node, steps[node].inputs))
            for node in self.plan.graph.roots
            if node in steps and not isinstance(node.operator, Sink) and node.format is None
        }
        buffers = {**between, **results}
        if not is_watched():  # Dask's cache would keep blocks that are overwritten
            share_results(steps, buffers)
        return buffers

    def _kept_side_by_side(self) -> dict[Node, ResultBuffer]:
        """Where the blocks of results come that this process keeps, if they lie in a row there.

        Of a graph that others may compute again each time has blocks of its own.
        """
        if self.arrays is not None or self.names:
            return {}
        steps = {root: self.plan.steps.get(root) for root in self.plan.graph.roots}
        return {
            root: ResultBuffer(root.type, kept=False)
            for root, step in steps.items()
            if step is not None and lie_in_a_row(step)
        }

    def _add(self, layer: SymbolicLayer, reads: Iterable[str]) -> None:
        self.layers[layer.name] = layer
        self.dependencies[layer.name] = set(reads)

    def _step(self, step: Step, out: ResultBuffer) -> None:
        node = step.node
        inputs, cuts = [], []
        for x, held in zip(step.inputs, step.held, strict=True):
            source, how = self._input(x, held)
            inputs.append(source)
            cuts.append(how)
        waits = tuple(self.ends[a] for a in step.after)
        after = (*waits, *[(self._prepare_name(sink), 0) for sink in step.first])
        annotations = self._annotations(step)
        sink = step.program.instructions[-1].operator if step.program.instructions else None
        if isinstance(sink, Sink):
            prepare = self._prepare_name(node)
            lease = None if self.folder is None else self.folder.lease
            how = (node.type, self.run, waits, annotations, lease)
            made = PrepareLayer(prepare, sink, *how)
            self._add(made, {key[0] for key in waits})
            after = tuple({*after, (prepare, 0)} - set(waits))
        near = for_any_worker(annotations)
        exchange = bulk_exchange_of(step, inputs, cuts) if self.in_bulk else None
        if exchange is not None:
            number = exchange.number
            inputs[number] = self._exchange(step, exchange, str(inputs[number]), annotations)
            cuts[number] = exchange.tiles
        spec = StepSpec.of(step, tuple(cuts), self.stop, self.run)
        slices = tuple(
            self._slices(spec, place, x, near)
            if exchange is None or place != exchange.number
            else None
            for place, x in enumerate(inputs)
        )
        shown = replace(spec, name=self.names.get(node, spec.name))
        layer = StepLayer(shown, tuple(inputs), out, after, slices, annotations)
        reads = {x for x in (*inputs, *slices) if isinstance(x, str)}
        self._add(layer, {r for r in reads if r in self.layers} | {key[0] for key in after})
        if isinstance(sink, Sink):
            finish = companion_name(step.name, "finish")
            made_whole = FinishLayer(finish, step.name, step.cuts, sink, annotations)
            self._add(made_whole, {step.name})
            self.ends[node] = (finish, 0)

    def _layer_if_any(self, name: str) -> set[str]:
        """The layer of that name, if the graph has it; some blocks are with the scheduler."""
        return {name} if name in self.layers else set()

    def _prepare_name(self, sink: Node) -> str:
        """Name of the layer that makes a sink's store ready."""
        text = f"{sink.digest} {self.run}"
        return f"{sink.operator.name}-prepare-{blake2b(text.encode(), digest_size=16).hexdigest()}"

    def _annotations(self, step: Step) -> dict[str, Any]:
        """What Dask is told of a step's tasks; workers that a value is placed on come first."""
        said = annotations_of_step(step.node, step.inputs).said
        place = "" if "workers" in said else step.place
        kept = placement(step.node, self.client, self.plan.resources.kinds, place)
        there = device_resources(self.client, said) if step.machine.device else {}
        return {**said, **(kept or {}), **there}

    def _exchange(
        self, step: Step, exchange: BulkExchange, source: str, annotations: Mapping[str, Any]
    ) -> str:
        """The layer whose blocks a step reads in place of those of `source`, of other cuts."""
        words = [companion_name(step.name, what) for what in ("exchange", "send", "receive")]
        names = ExchangeNames(exchange, source, *words)
        near = for_any_worker(annotations)
        placed = {kind: annotations[kind] for kind in (*near, *PLACING) if kind in annotations}
        self._add(SendLayer(names, near), self._layer_if_any(source))
        self._add(WaitLayer(names, placed), {names.sent})
        self._add(ReceiveLayer(names, placed), {names.waiting})
        return names.received

    def _slices(
        self, spec: StepSpec, input_number: int, source: Any, annotations: Mapping[str, Any]
    ) -> str | None:
        """Layer that slices blocks for an input of a step, where blocks have to travel."""
        if self.plan.resources.workers == 1 or not isinstance(source, str):
            return None
        name = f"{companion_name(spec.name, 'slice')}-{input_number}"
        blocks = prod(cut.count for cut in spec.input_cuts[input_number] or ())
        layer_annotations = {**annotations, **beside_blocks(self.client, blocks)}
        self._add(
            SliceLayer(name, source, spec, input_number, layer_annotations),
            self._layer_if_any(source),
        )
        return name

    def _input(self, x: Node, held: Any) -> tuple[str | np.ndarray[Any, Any], Any]:
        """Return the name and cuts of the layer that computes an input, or its array and None.

        An array that the client sends is cut as the plan says that it is `held`.
        """
        if x in self.plan.steps and self.plan.steps[x].inputs != (x,):
            step = self.plan.steps[x]
            return self.names.get(x, step.name), step.cuts
        x = self.plan.source(x)
        if isinstance(x.operator, BlockSource):
            return self._foreign(x.operator), x.operator.cuts
        data: np.ndarray[Any, Any] = x.operator.data  # type: ignore[attr-defined]
        if self.arrays is None or is_embedded(x):
            return data, None
        layer = self.arrays.offer(x, held)
        self._add(layer, ())
        return layer.name, layer.cuts

    def _foreign(self, source: BlockSource) -> str:
        """Have the tasks of others that yield blocks in the graph; the name of the blocks there."""
        if source not in self.foreign:
            self.foreign[source] = self._joined(source)
        return self.foreign[source]

    def _joined(self, source: BlockSource) -> str:
        graph, name = source.graph, source.key_name
        if self.arrays is None and holds_futures(name, graph):
            graph = brought_here(name, graph)
        layers = graph.layers if isinstance(graph, HighLevelGraph) else {name: graph}
        if not self.taken.take(layers):
            seed = source.identity + name
            graph, name = renamed(graph, seed), renamed_key(name, seed)
        if isinstance(graph, HighLevelGraph):
            self.layers.update(graph.layers)
            self.dependencies.update({k: set(v) for k, v in graph.dependencies.items()})
        elif not isinstance(self.layers.get(name), SymbolicLayer):
            self.layers[name] = MaterializedLayer(graph)
            self.dependencies[name] = set()
        return str(name)

    def _barrier(self, node: Node) -> None:
        end_keys: list[Key] = []
        for before in node.after:
            end_keys += [self.ends[before]] if before in self.ends else self._ends_of_blocks(before)
        text = f"{node.digest} {end_keys}"  # a plan that is found again has the same nodes
        name = f"sequence-{blake2b(text.encode(), digest_size=16).hexdigest()}"
        self._add(
            BarrierLayer(name, tuple(end_keys)),
            {key[0] for key in end_keys if key[0] in self.layers},
        )
        self.ends[node] = (name, 0)

    def _ends_of_blocks(self, node: Node) -> list[Key]:
        """Return keys of tasks that wait for the blocks of a node, so that no block travels."""
        source, cuts = self._layer_of(node)
        name = f"ended-{blake2b(source.encode(), digest_size=16).hexdigest()}"
        layer = EndedLayer(name, source, cuts)
        self._add(layer, self._layer_if_any(source))
        return list(iter(layer))

    def _layer_of(self, node: Node) -> tuple[str, tuple[Cuts, ...]]:
        """Name and cuts of the layer whose blocks are a node's value."""
        blocks = self.plan.source(node).operator
        if not isinstance(blocks, BlockSource):
            step = self.plan.steps[node]
            return self.names.get(node, step.name), step.cuts
        held = self._foreign(blocks)
        name = self.names.get(node, held)
        if name != held and name not in self.layers:
            self._add(AliasLayer(name, held, blocks.cuts), self._layer_if_any(held))
        return name, blocks.cuts

    def _root(
        self,
        node: Node,
        final: bool,
        buffers: Mapping[Node, ResultBuffer],
        known: BlockFormat | None,
    ) -> Any:
        if node in self.ends:
            return [self.ends[node]]
        source, cuts = self._layer_of(node)
        if not final:
            return nested_keys(source, tuple(c.count for c in cuts))
        name = f"{source.rpartition('-')[0] or 'blocks'}-gather-{uuid4().hex}"
        reads = self._layer_if_any(source)
        shared = node in self.gathered or node not in self.plan.steps
        self.gathered.add(node)
        layer = self.layers.get(source)
        told = for_any_worker(layer.annotations or {}) if isinstance(layer, StepLayer) else {}
        out = buffers.get(node, REMOTE)
        self._add(GatherLayer(name, source, cuts, out, shared, told, known), reads)
        return [(name, 0)]


def companion_name(name: str, what: str) -> str:
    """Name of a layer that does something for the step `name`, beside it on Dask's pages.

    Examples
    --------
    >>> companion_name("mean-5f", "slice")
    'mean-slice-5f'
    """
    words, _, digest = name.rpartition("-")
    return f"{words}-{what}-{digest}"


def nested_keys(name: str, shape: tuple[int, ...], head: tuple[int, ...] = ()) -> Any:
    """Keys of a grid as lists within lists, as Dask wants them."""
    if len(head) == len(shape):
        return [(name,)] if not shape else (name, *head)
    return [nested_keys(name, shape, (*head, i)) for i in range(shape[len(head)])]
