"""Rule on cells that are taken where an extreme is: one pass finds the place and carries the cells.

It takes whole graphs, as it must know that what is taken needs no place of the same pass.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from math import prod
from typing import Any, NamedTuple

import numpy as np

from dask_tapestry.cells import CellBuilder, Tree
from dask_tapestry.operators.cells.field import field
from dask_tapestry.operators.reductions.cells_at_extreme import PLACE, CellsAtExtreme, field_name
from dask_tapestry.operators.reductions.monoids import ARG_REDUCTIONS
from dask_tapestry.operators.reductions.reduce import Reduce
from dask_tapestry.operators.reductions.tree_reduction import tree_over
from dask_tapestry.operators.views.rename import rename
from dask_tapestry.operators.views.view import View, ViewAxis, identity_axes
from dask_tapestry.rewrite.driver import rewrite
from dask_tapestry.rewrite.trace import Trace
from dask_tapestry.rules.shared_cells import cells_of, reduction_ranks
from dask_tapestry.rules.tuning import MOST_FOLDED_AGAIN, MOST_JOINT_REDUCTIONS
from dask_tapestry.teg import Graph, Node, Source, apply
from dask_tapestry.teg.annotations import joined
from dask_tapestry.teg.node import reapply, written_as
from dask_tapestry.teg.users_line import said_together


class TakenThere(NamedTuple):
    """Cells that are taken at the places of a fold.

    Attributes
    ----------
    fold
        Finds the places.
    axis
        Along which they are, of what is taken from.
    view
        Of the cells that are folded: as what is taken from has them.
    """

    fold: Node
    axis: int
    view: View

    @property
    def score(self) -> Node:
        """The cells that are folded."""
        return self.fold.inputs[0]


class OnePass(NamedTuple):
    """What replaces nodes that take cells at the places of one fold, and the fold."""

    takes: dict[Node, Node]
    folds: dict[Node, Node]


def take_while_folding(graph: Graph, trace: Trace | None = None) -> Graph:
    """``take(x, argmax(y)) -> r.f0 with r = (argmax, x there)(y)``, along one axis."""
    while together := _nearest_takes(graph):
        done = OnePass({}, {})
        for there, nodes in together.items():
            for first in range(0, len(nodes), MOST_JOINT_REDUCTIONS):
                passed = _in_one_pass(there, nodes[first : first + MOST_JOINT_REDUCTIONS])
                done.takes.update(passed.takes)
                done.folds.update(passed.folds)
        for replaced in done:

            def taken_while_folding(
                node: Node, replaced: dict[Node, Node] = replaced
            ) -> Node | None:
                return replaced.get(node)

            graph = rewrite(graph, (taken_while_folding,), trace, "cells at extremes", carry=False)
    return graph


def _nearest_takes(graph: Graph) -> dict[TakenThere, list[Node]]:
    """Nodes that take cells at places of folds of one rank, of which none needs another."""
    takes = [node for node in graph.nodes if node.operator.name == "takealongaxis"]
    ranks = reduction_ranks(graph) if takes else {}
    by_rank: dict[int, dict[TakenThere, list[Node]]] = defaultdict(lambda: defaultdict(list))
    for node in takes:
        there = _taken_there(node)
        if there is not None and ranks[node.inputs[0]] < ranks[there.fold]:
            by_rank[ranks[there.fold]][there].append(node)
    return by_rank[min(by_rank)] if by_rank else {}


def _taken_there(node: Node) -> TakenThere | None:
    """Where a node takes its cells, if that is at the places of a fold along the same axis."""
    (x, index), axis = node.inputs, node.operator.axis  # type: ignore[attr-defined]
    seen = index.operator if isinstance(index.operator, View) else None
    fold = index if seen is None else index.inputs[0]
    if not _finds_places(fold) or node.after or x.type.dtype.kind in "OTV" or not x.type.size:
        return None
    shown = seen or View(index.type.shape, identity_axes(index.type.shape))
    view = _view_of_score(fold, shown, x, axis)
    if view is None or _is_table(x, fold) or _lies_in_memory(x):
        return None
    if joined([fold.annotations, node.annotations]) is None:
        return None
    few = x.type.size <= MOST_FOLDED_AGAIN * fold.inputs[0].type.size
    return TakenThere(fold, axis, view) if few else None


def _finds_places(node: Node) -> bool:
    match node.operator:
        case Reduce(is_plain=True, monoid=monoid, axes=(_,)) if monoid in ARG_REDUCTIONS:
            return not node.after and node.format is None
    return False


def _view_of_score(fold: Node, shown: View, x: Node, axis: int) -> View | None:
    """The cells that are folded as `x` has them, by the view of the places that its cells are at.

    None where that shows places more often than once along the axis, or along a diagonal.
    """
    (score,), (folded,) = fold.inputs, fold.operator.axes  # type: ignore[attr-defined]
    if shown.runs or shown.shape[axis] != 1:
        return None
    if score.type.shape[folded] != x.type.shape[axis]:
        return None
    kept = [a._replace(dim=-1, step=1) if a.dim == axis else a for a in shown.axes]
    return View(x.type.shape, (*kept[:folded], ViewAxis(axis, 0, 1), *kept[folded:]))


def _is_table(x: Node, fold: Node) -> bool:
    """Whether `x` is made of less than the places: then it is looked up when they are known."""
    return max(map(_bytes_shown, cells_of([x])), default=0) < fold.type.nbytes


def _lies_in_memory(x: Node) -> bool:
    """Whether `x` is made of arrays of this process: of these the cells at places alone are read.

    In one pass three maps of 3 million cells took up to 1.8 times as long as in two.
    """
    return all(map(_is_in_memory, cells_of([x])))


def _is_in_memory(node: Node) -> bool:
    while isinstance(node.operator, View):
        (node,) = node.inputs
    return isinstance(node.operator, Source) and node.operator.external


def _bytes_shown(node: Node) -> int:
    """Bytes of a value; of one that is broadcast, those that differ."""
    match node.operator:
        case View() as view:
            sides = [n for dim, n in enumerate(view.shape) if dim not in view.broadcast]
            return prod(sides) * node.type.dtype.itemsize
    return node.type.nbytes


def _in_one_pass(there: TakenThere, nodes: Sequence[Node]) -> OnePass:
    """One pass that folds, and takes what some nodes take there."""
    score, alike = there.score, there.view.is_identity(there.score.type.shape)
    if not alike:
        score = apply(there.view, score, line="")
    taken = [node.inputs[0] for node in nodes]
    inputs = list(dict.fromkeys([score, *taken]))
    builder = CellBuilder([x.type.dtype for x in inputs])
    cells = tuple([builder.finish(inputs.index(x)) for x in taken])
    with written_as(there.fold):
        operator = CellsAtExtreme(_fold(there, taken), _dtypes(taken), cells)
        line = said_together(node.line for node in (there.fold, *nodes))
        together = apply(operator, *inputs, line=line)
    annotations = joined(node.annotations for node in (there.fold, *nodes))
    together = reapply(together, inputs, annotations=annotations)
    done = OnePass({}, {there.fold: field(together, PLACE)} if alike else {})
    for number, node in enumerate(nodes):
        with written_as(node):
            value = field(together, field_name(number))
            done.takes[node] = _along_axis(value, node, there.axis)
    return done


def _dtypes(nodes: Sequence[Node]) -> tuple[np.dtype[Any], ...]:
    return tuple([node.type.dtype for node in nodes])


def _fold(there: TakenThere, taken: Sequence[Node]) -> Reduce:
    """The fold of what is taken from, whose stored grid its tree has where that is larger.

    The first extreme is the same in any tree.
    """
    operator = there.fold.operator
    assert isinstance(operator, Reduce)
    return replace(operator, axes=(there.axis,), tree=_tree(operator.tree, there, taken))


def _tree(own: Tree, there: TakenThere, taken: Sequence[Node]) -> Tree:
    largest = max(taken, key=lambda x: x.type.nbytes)
    if own.lattice is not None and largest.type.size == there.score.type.size:
        return own
    other = tree_over(largest, (there.axis,))
    return own if other.lattice is None else other


def _along_axis(value: Node, node: Node, axis: int) -> Node:
    """Cells along all other axes with one of length one."""
    shape = node.type.shape
    axes = tuple([ViewAxis(dim, 0, 1) for dim in range(len(shape)) if dim != axis])
    shown = apply(View(shape, axes), value)
    return shown if shown.type == node.type else rename(shown, node.type.dims or ())
