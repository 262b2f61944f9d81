"""What alone is made of a value cell by cell, by what may read it several times and meet.

A mean reads the sums and the counts of a reduction that makes both; a quotient, where they meet,
has all that is read of them. So it can be held in their place, and they are computed in its step:
each of its cells takes the one cell of theirs. So can a few cells be that are copied of a value,
as the lines of all that is sorted in which quantiles lie.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from heapq import heappop, heappush

from dask_tapestry.planner.tuning import LARGE_SHARE, NARROWED_SHARE
from dask_tapestry.teg import Graph, Node


def held_in_place(
    graph: Graph, held: Collection[Node], fused: Collection[Node]
) -> dict[Node, Node]:
    """For each value that is not free to compute, what is better held in its place.

    That is what is held already and made of it, or else the smallest that is made of it. Values
    that are small beside what the graph is made of are held as they are.

    Parameters
    ----------
    held
        Nodes that are held in any case.
    fused
        Nodes that are computed where they are read, with all in whose place they would be held.
    """
    places = {node: at for at, node in enumerate(graph.nodes)}
    found = dict[Node, Node]()
    least = LARGE_SHARE * max([x.type.nbytes for x in graph.nodes if not x.inputs], default=0)
    for node in graph.nodes:
        if node.type.nbytes < least:
            continue
        if not node.inputs or node.operator.transparent or node in held or node in fused:
            continue
        *_, last = ends = [node, *_ends_of(node, graph, places, held)]
        end = last if last in held else min(ends, key=lambda one: one.type.nbytes)
        if end is not node:
            found[node] = end
    return found


def _ends_of(
    node: Node, graph: Graph, places: dict[Node, int], held: Collection[Node]
) -> Iterator[Node]:
    """What is made of a value where all that reads it before meets, inputs first, up to a held one.

    Formulas, and after these selectors: what selectors make is better held if it is few cells.
    """
    waiting, seen = list[tuple[int, Node]](), set[Node]()
    last, most, is_selected = node, NARROWED_SHARE * node.type.nbytes, False
    while last not in held:
        for reader in graph.consumers[last]:
            if reader not in seen:
                seen.add(reader)
                heappush(waiting, (places[reader], reader))
        if not waiting:
            return
        last = heappop(waiting)[1]
        is_selected = is_selected or not _keeps_cells(last, node)
        if is_selected and (not last.operator.is_selector or last.after):
            return
        if not waiting and (not is_selected or last.type.nbytes <= most):
            yield last


def _keeps_cells(reader: Node, node: Node) -> bool:
    """Whether each cell of a reader is made of the cells of its inputs at the same place."""
    operator = reader.operator
    takes_field = operator.is_selector and reader.type.dtype != reader.inputs[0].type.dtype
    same = reader.type.shape == node.type.shape
    return same and (operator.is_formula or takes_field) and not reader.after
