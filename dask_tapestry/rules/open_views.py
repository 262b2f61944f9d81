"""Open views: parts of arrays in memory as arrays of their own, so that one plan serves all places.

``x[i : i + 100].mean()`` and ``d[:, k]`` are computed in loops with other places each time. A part
of an array in memory is one too, without a copy, and a plan for it is one for any place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

from dask_tapestry.io.sources.dask_blocks_source import BlockSource
from dask_tapestry.io.sources.numpy_source import NumpySource, source_of
from dask_tapestry.operators.layouts.nominal_chunks import NominalChunks
from dask_tapestry.operators.views.view import ViewSelector
from dask_tapestry.rewrite.user_rules import mutators_in_force, rules_in_force
from dask_tapestry.teg import Node
from dask_tapestry.teg.node import written_as

Cells = np.ndarray[Any, Any]


def parts_of_arrays(order: Sequence[Node], given: Mapping[Node, Node]) -> dict[Node, Cells]:
    """The views of arrays in memory among all nodes of a graph, with their cells.

    `order` is all nodes, inputs before what reads them; `given` the sources that some of them are.
    There are none where the user's rules may look at places.
    """
    cells: dict[Node, Cells | None] = {}
    found: dict[Node, Cells] = {}
    if rules_in_force() or mutators_in_force():
        return found
    for node in order:
        if node in given or not node.inputs:
            cells[node] = _in_memory(given.get(node, node))
        elif _is_view(node) and (whole := cells.get(node.inputs[0])) is not None:
            part = node.operator.reference(whole)
            if np.may_share_memory(part, whole):
                cells[node] = found[node] = part
    return found


def source_of_part(node: Node, cells: Cells) -> Node:
    """A view of an array in memory as a source."""
    with written_as(node):
        return source_of(node.digest, node.type, cells)


def part_in_memory(node: Node, given: Mapping[Node, Node]) -> Cells | None:
    """The cells of an array in memory, or of a part of one, which it shares; None of others.

    As for `parts_of_arrays`, `given` are the sources that some nodes are, and there are none
    where the user's rules may look at places.
    """
    views: list[Node] = []
    while node.inputs and node not in given and _is_view(node):
        views.append(node)
        node = node.inputs[0]
    source = given.get(node, node)
    if source.inputs or rules_in_force() or mutators_in_force():
        return None
    cells = _only_array(source)
    for view in reversed(views):
        part = None if cells is None else view.operator.reference(cells)
        cells = part if part is not None and np.may_share_memory(part, cells) else None
    return cells


def _is_view(node: Node) -> bool:
    operator = node.operator
    is_part = isinstance(operator, ViewSelector) and not isinstance(operator, NominalChunks)
    is_part = is_part and node.type.size <= node.inputs[0].type.size
    return is_part and not (node.after or node.annotations or node.format is not None)


def _in_memory(node: Node) -> Cells | None:
    """The cells of a source that are one array here, and are stored nowhere; None of other nodes.

    On the grid of what is stored the sums of them depend.
    """
    operator = node.operator
    stored = isinstance(operator, BlockSource) and any(operator.stored_cuts or ())
    return None if stored else _only_array(node)


def _only_array(node: Node) -> Cells | None:
    """The cells of a source that has them in this process as one array; None of other nodes."""
    operator, cells = node.operator, None
    if isinstance(operator, NumpySource) and not operator.is_table:
        cells = operator.data
    elif isinstance(operator, BlockSource) and prod(c.count for c in operator.cuts) == 1:
        cells = operator.graph.get((operator.key_name, *[0] * len(operator.cuts)))
    return cells if type(cells) is np.ndarray else None
