"""Blocks that a scheduler is asked for, and those that it has handed back, as nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import uuid4

from dask_tapestry.arrays.core.floating_errors import ErrorReporting
from dask_tapestry.io.sources.dask_blocks_source import from_blocks
from dask_tapestry.lower.dask_private import HighLevelGraph
from dask_tapestry.lower.planned_expression import LoweredPlan, for_other_collections, lower_plan
from dask_tapestry.lower.result_layout import ResultLayout, find_layout
from dask_tapestry.lower.small_jobs import persist_synchronously
from dask_tapestry.operators.layouts.in_format import in_format
from dask_tapestry.operators.layouts.nominal_chunks import with_chunks_kept
from dask_tapestry.operators.layouts.rechunk import handed_on, rechunk
from dask_tapestry.planner.build import build_plan
from dask_tapestry.planner.memory.results import ResultMemory
from dask_tapestry.teg import Node, Source
from dask_tapestry.teg.chunking import canonical_axes
from dask_tapestry.teg.nominal import nominal_chunks, nominal_cuts
from dask_tapestry.teg.stored_grid import stored_cuts
from dask_tapestry.zspace import Cuts


def layout_in(
    graph: Mapping[Any, Any], node: Node, name: str, rename: Mapping[str, str] | None = None
) -> ResultLayout | None:
    """How the blocks of a node lie in a graph of results, futures or tasks; None if it has none.

    Parameters
    ----------
    name
        First part of the keys of its nominal chunks.
    rename
        Names by those before, in a graph that holds the nominal chunks of this node alone.
    """
    if rename is not None:
        return ResultLayout(rename.get(name, name), nominal_cuts(node))
    keys = graph.layers if isinstance(graph, HighLevelGraph) else graph
    names = dict.fromkeys(str(k[0] if isinstance(k, tuple) else k) for k in keys)
    layout = find_layout(names, node.digest)
    if layout is None and name in names:
        return ResultLayout(name, nominal_cuts(node))
    return layout


def persisted_node(graph: Mapping[Any, Any], layout: ResultLayout, node: Node) -> Node:
    """The value of `node` as the blocks in `graph`, which lie as `layout` says."""
    nominal, cuts = nominal_chunks(node), layout.cuts
    as_cut = tuple([one.cuts for one in nominal]) == cuts
    blocks = from_blocks(
        layout.name,
        node.type,
        cuts,
        graph,
        uuid4().hex,
        layout.lease,
        stored_cuts(node),
        node.format,
        canonical_axes(nominal) if as_cut else (),
        layout.in_runs,
    )
    return blocks if as_cut else with_chunks_kept(blocks, nominal)


def kept_here(nodes: Sequence[Node]) -> list[Node] | None:
    """The values of `nodes` as blocks in this process; None where a scheduler should make them."""
    with ErrorReporting():
        found = persist_synchronously(nodes)
    if found is None:
        return None
    pairs = zip(found, nodes, strict=True)
    return [persisted_node(x.blocks, ResultLayout(x.name, x.cuts), node) for x, node in pairs]


def held_in(node: Node, cuts: tuple[Cuts, ...]) -> Node:
    """The value of `node` as blocks that are cut so, in the format that it has."""
    operator, known = node.operator, node.format
    if operator.layout == cuts and operator.format == known:
        return node
    return rechunk(node if known is None else in_format(node, known), cuts)


def lowered_alone(node: Node, cuts: tuple[Cuts, ...], name: str) -> LoweredPlan:
    """The layers of a value alone, as blocks that others take; `name` begins their keys."""
    plan = build_plan([taken_in(node, cuts)])
    return for_other_collections(lower_plan(plan, ResultMemory.KEPT, [name]))


def taken_in(node: Node, cuts: tuple[Cuts, ...]) -> Node:
    """The value of `node` as blocks that are cut so, of which others take those they need.

    They are planned for whoever takes one after the other: no worker holds all of them.
    """
    if isinstance(node.operator, Source) and node.operator.external:
        return held_in(node, cuts)
    known = node.format
    return handed_on(node if known is None else in_format(node, known), cuts)
