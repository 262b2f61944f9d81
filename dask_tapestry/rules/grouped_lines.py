"""Rule on alike folds of many groups of lines of one array: one operator folds them all.

As the means of years, of overlapping windows, of the same day of each year. It takes whole graphs,
as it must know how many there are.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dask_tapestry.imports import LateModule
from dask_tapestry.io.sources.numpy_source import constant
from dask_tapestry.operators.indexing.index_ranges import IndexRanges
from dask_tapestry.operators.reductions.reduce import Reduce
from dask_tapestry.operators.sorting.grouped_lines import LaneFold, grouped_lines
from dask_tapestry.operators.sorting.order_statistics import OrderStatistics
from dask_tapestry.operators.views.view import View, ViewAxis
from dask_tapestry.rewrite.driver import rewrite
from dask_tapestry.rewrite.rule import Rules
from dask_tapestry.rewrite.trace import Trace
from dask_tapestry.rules.chosen_lines import Places, known_places
from dask_tapestry.rules.tuning import (
    FEWEST_GROUPS,
    GROUP_OF_LINES_BYTES,
    LEAST_LINES_READ,
    LEAST_RUN_OF_LINES,
    LINES_OF_OTHERS,
    MOST_LINES_OF_A_GROUP,
    MOST_LINES_TOLD,
)
from dask_tapestry.rules.views import VIEW_RULES
from dask_tapestry.teg import Graph, Node, apply
from dask_tapestry.teg.node import written_as

if TYPE_CHECKING:
    from dask_tapestry.operators.indexing import take
else:
    take = LateModule("dask_tapestry.operators.indexing.take")


class Lines(NamedTuple):
    """Lines along an axis of a value, in their order."""

    whole: Node
    places: Places


def fold_lines_together(graph: Graph, trace: Trace | None = None) -> Graph:
    """``f(x[a]), f(x[b]), ... -> r[0], r[1], ... with r = f(x of a, b, ...)``, if many."""
    candidates = [node for node in graph.nodes if _may_join(node)]
    if len(candidates) < FEWEST_GROUPS:
        return graph
    alike: dict[tuple[int, Node, tuple[object, ...]], list[tuple[Node, Lines]]]
    alike = defaultdict(list)
    for node in candidates:
        for axis in _axes(node):
            lines = lines_of(node.inputs[0], axis)
            if lines is not None:
                alike[axis, lines.whole, _manner(node)].append((node, lines))
                break
    together: dict[Node, Node] = {}
    for (axis, _, _), found in alike.items():
        if len(found) >= FEWEST_GROUPS and _worth_it(found, axis):
            together |= _folded_together(found, axis)

    def grouped_lines(node: Node) -> Node | None:
        return together.get(node)

    if not together:
        return graph
    graph = rewrite(graph, (grouped_lines,), trace, "grouped lines", carry=False)
    return rewrite(graph, Rules(VIEW_RULES), trace, "grouped lines")


def _may_join(node: Node) -> bool:
    """Whether a node folds lanes of one input, all of them alike."""
    bare = not (node.after or node.annotations) and node.format is None and node.type.size > 0
    match node.operator:
        case Reduce() as whole:
            return bare and whole.is_plain and len(node.inputs) == 1
        case OrderStatistics():
            return bare
    return False


def _axes(node: Node) -> tuple[int, ...]:
    """The axes along which it folds."""
    operator = node.operator
    assert isinstance(operator, Reduce | OrderStatistics)
    return operator.axes if isinstance(operator, Reduce) else (operator.axis,)


def _manner(node: Node) -> tuple[object, ...]:
    """What is the same for nodes that fold alike, of however many lines."""
    match node.operator:
        case Reduce(monoid, axes, _, dtype, state, ddof, cells=cells):
            return ("reduce", monoid, axes, dtype, state, ddof, cells)
        case OrderStatistics(axis, ranks):
            return ("ranks", axis, len(ranks))
    raise AssertionError(node)


def lines_of(node: Node, axis: int) -> Lines | None:
    """Lines along an axis of another value, if a node is no more; None where it is all of it.

    Nor are so many told that each alone would fill the memory of a task.
    """
    if node.type.shape[axis] > MOST_LINES_OF_A_GROUP:
        return None
    places: Places | None = None
    while (step := _taken(node, axis)) is not None:
        node, own = step
        places = own if places is None else own[places]
    return None if places is None else Lines(node, places)


def _taken(node: Node, axis: int) -> tuple[Node, Places] | None:
    """The input of which a node takes lines along the axis, and which."""
    taken = known_places(node)
    if taken is not None:
        return (node.inputs[0], np.asarray(taken[1])) if taken[0] == axis else None
    if node.after or node.annotations or node.format is not None:
        return None
    match node.operator:
        case View(shape, axes) as view if not view.runs:
            (x,) = node.inputs
            kept = [ViewAxis(dim, 0, 1) for dim in range(len(shape))]
            others = [n for n in range(len(shape)) if n != axis]
            same = len(axes) == len(shape) and axes[axis].dim == axis
            if same and all(axes[n] == kept[n] and x.type.shape[n] == shape[n] for n in others):
                return x, axes[axis].start + axes[axis].step * np.arange(shape[axis])
    return None


def _worth_it(found: Sequence[tuple[Node, Lines]], axis: int) -> bool:
    """Whether lines lie apart, or groups are small: of large ones side by side each is cut."""
    whole = found[0][1].whole
    line = whole.type.nbytes // max(1, whole.type.shape[axis])
    apart = any(np.ptp(lines.places) >= len(lines.places) for _, lines in found)
    return apart or max(len(lines.places) for _, lines in found) * line <= GROUP_OF_LINES_BYTES


def _folded_together(found: Sequence[tuple[Node, Lines]], axis: int) -> Mapping[Node, Node]:
    """What replaces each of the folds: one group of the value of all."""
    whole, each = found[0][1].whole, [lines.places for _, lines in found]
    used = _used(each, whole.type.shape[axis])
    if len(used) * LEAST_LINES_READ <= whole.type.shape[axis]:
        whole = take.take_places(whole, [constant(used)], [axis], axis, IndexRanges.of([used]))
        each = [np.searchsorted(used, places) for places in each]
    if _lie_far_apart(each):  # blocks of groups take their lines alone, of chunks that hold some
        order = np.concatenate(each)
        bounds = IndexRanges.of([order], MOST_LINES_TOLD)
        whole = take.take_places(whole, [constant(order)], [axis], axis, bounds)
        ends = np.cumsum([len(places) for places in each])
        each = [np.arange(end - len(places), end) for places, end in zip(each, ends, strict=True)]
    folds: list[LaneFold] = []
    for node, _ in found:
        assert isinstance(node.operator, Reduce | OrderStatistics)
        folds.append(node.operator)
    first = next((node for node, _ in found if node.line), found[0][0])
    with written_as(first):
        value = apply(grouped_lines(axis, folds, each), whole, line=first.line or "")
    replaced = {}
    for number, (node, _) in enumerate(found):
        with written_as(node):
            replaced[node] = group_of(value, number)
    return replaced


def _used(groups: Sequence[Places], extent: int) -> Places:
    """The lines of all groups, each once, ascending: marked, as sorting millions takes longer."""
    marks = np.zeros(extent, bool)
    for places in groups:
        marks[places] = True
    return np.flatnonzero(marks)


def _lie_far_apart(groups: Sequence[Places]) -> bool:
    """Whether groups have runs of several lines, with many lines of others between them."""
    runs = sum(1 + np.count_nonzero(np.diff(np.sort(places)) > 1) for places in groups)
    spans = sum(np.ptp(places) + 1 for places in groups)
    lines = sum(len(places) for places in groups)
    return bool(lines >= LEAST_RUN_OF_LINES * runs and spans > LINES_OF_OTHERS * lines)


def group_of(value: Node, number: int) -> Node:
    """One cell along the last axis."""
    kept = value.type.shape[:-1]
    axes: list[Any] = [ViewAxis(dim, 0, 1) for dim in range(len(kept))]
    return apply(View(kept, (*axes, ViewAxis(-1, number, 1))), value)
