"""Rule on many alike reductions of one array, or of alike ones: one reduction with an axis more.

As how often each of many thresholds is passed, sums over each of many regions, the mean of each
band, and of each file. It takes whole graphs, as it must know that no reduction needs another.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from dask_tapestry.imports import LateModule
from dask_tapestry.io.sources.numpy_source import constant
from dask_tapestry.operators.cells.elementwise import Elementwise
from dask_tapestry.operators.indexing.index_ranges import IndexRanges
from dask_tapestry.operators.joins.concat import concat
from dask_tapestry.operators.reductions.reduce import Reduce
from dask_tapestry.operators.views.view import View, ViewAxis
from dask_tapestry.rewrite.driver import rewrite
from dask_tapestry.rewrite.rule import Rules
from dask_tapestry.rewrite.trace import Trace
from dask_tapestry.rules.common_formulas import formula_of_all
from dask_tapestry.rules.shared_cells import reduction_ranks
from dask_tapestry.rules.tuning import FEWEST_ALIKE_REDUCTIONS, STACKED_BYTES
from dask_tapestry.rules.views import VIEW_RULES
from dask_tapestry.teg import Graph, Node, Source, apply
from dask_tapestry.teg.node import written_as

if TYPE_CHECKING:
    from dask_tapestry.operators.indexing import take
else:
    take = LateModule("dask_tapestry.operators.indexing.take")

Alike: TypeAlias = tuple[Node, ...]
Stacks: TypeAlias = dict[Alike, Node | None]  # what alike values are along a new first axis


def stack_alike_reductions(graph: Graph, trace: Trace | None = None) -> Graph:
    """``f(x, 0), f(x, 1), ... -> r[0], r[1], ... with r = f(x, [0, 1, ...])``, if many."""
    while True:
        stacked = _stacked_reductions(graph)
        if not stacked:
            return graph

        def stacked_reductions(node: Node, stacked: Mapping[Node, Node] = stacked) -> Node | None:
            return stacked.get(node)

        graph = rewrite(graph, (stacked_reductions,), trace, "alike reductions", carry=False)
        graph = rewrite(graph, Rules(VIEW_RULES), trace, "alike reductions")


def _stacked_reductions(graph: Graph) -> dict[Node, Node]:
    """What replaces reductions of the least rank of which many are alike."""
    candidates = [node for node in graph.nodes if _may_join(node)]
    if len(candidates) < FEWEST_ALIKE_REDUCTIONS:
        return {}
    ranks, forms = reduction_ranks(graph), _forms(graph)
    alike: dict[tuple[int, object], list[Node]] = defaultdict(list)
    for node in candidates:
        alike[ranks[node], (node.operator, forms[node.inputs[0]])].append(node)
    many = {key: n for key, n in alike.items() if len(n) >= FEWEST_ALIKE_REDUCTIONS}
    for rank in sorted({rank for rank, _ in many}):
        found: dict[Node, Node] = {}
        for nodes in [nodes for (own, _), nodes in many.items() if own == rank]:
            found |= _stacked(nodes)
        if found:
            return found
    return {}


def _may_join(node: Node) -> bool:
    bare = not (node.after or node.annotations) and node.format is None and node.type.size > 0
    match node.operator:
        case Reduce() as whole:
            return bare and whole.is_plain and len(node.inputs) == 1
    return False


def _forms(graph: Graph) -> dict[Node, int]:
    """The number of each value's form, of which alike values have one.

    A number, as a form that spelled its inputs' out would be hashed by every path to them.
    """
    numbers, forms = dict[object, int](), dict[Node, int]()
    for node in graph.nodes:
        forms[node] = numbers.setdefault(_form(node, forms), len(numbers))
    return forms


def _form(node: Node, forms: Mapping[Node, int]) -> object:
    """What alike formulas have in common: all but numbers, and where views begin."""
    type_ = node.type.shape, node.type.dtype
    match node.operator:
        case Elementwise(expression):
            return expression.without_constants, type_, tuple([forms[x] for x in node.inputs])
        case View(shape, axes):
            own = tuple([(axis.dim, axis.step) for axis in axes])
            return "view", shape, own, node.inputs[0].type.shape
    return node.operator.name, type_


def _stacked(nodes: Sequence[Node]) -> dict[Node, Node]:
    """What replaces each of some alike reductions; nothing if they are of too much that differs."""
    first = next((node for node in nodes if node.line), nodes[0])
    with written_as(first):
        x = stack_of([node.inputs[0] for node in nodes])
        if x is None:
            return {}
        own = nodes[0].operator
        assert isinstance(own, Reduce)
        reduction = replace(own, axes=tuple([axis + 1 for axis in own.axes]))
        value = apply(reduction, x, line=first.line or "")
    kept = value.type.shape[1:]
    axes = [ViewAxis(dim, 0, 1) for dim in range(len(kept))]
    replaced = {}
    for number, node in enumerate(nodes):
        with written_as(node):
            replaced[node] = apply(View(kept, (ViewAxis(-1, number, 1), *axes)), value)
    return replaced


def stack_of(values: Sequence[Node]) -> Node | None:
    """Alike values along a new first axis, of which not each has a node; None where each would.

    What they are made of is stacked before them, once, however many paths lead to it.
    """
    wanted = tuple(values)
    stacks: Stacks = {}
    unmade = [wanted]
    while unmade:
        first = [own for own in _stacked_before(unmade[-1]) if own not in stacks]
        if first:
            unmade += first
        else:
            own = unmade.pop()
            stacks[own] = _stack_of(own, stacks)
    return stacks[wanted]


def _stacked_before(values: Alike) -> Iterable[Alike]:
    """The alike values that the stack of some is made of."""
    if all(value is values[0] for value in values) or len({len(x.inputs) for x in values}) > 1:
        return ()
    if all(isinstance(value.operator, Elementwise | View) for value in values):
        return zip(*[value.inputs for value in values], strict=True)
    return ()


def _stack_of(values: Alike, stacks: Stacks) -> Node | None:
    """The stack of alike values, of the stacks of their inputs."""
    first, count = values[0], len(values)
    if all(value is first for value in values):
        return _repeated(first, count)
    operators = [value.operator for value in values]
    if any(value.after or value.annotations or value.format for value in values):
        return None
    if all(isinstance(operator, Elementwise) for operator in operators):
        return _stacked_formulas(values, stacks)
    if all(isinstance(operator, View) for operator in operators):
        return _stacked_views(values, stacks)
    return _joined(values)


def _joined(values: Alike) -> Node | None:
    """Values of one type one behind the other, if they are few bytes or stored."""
    sources = [one for one in (value.operator for value in values) if isinstance(one, Source)]
    if any(source.external for source in sources):
        return None  # hundreds of arrays in memory take as long in one step as in many
    if len({(value.type.shape, value.type.dtype) for value in values}) > 1:
        return None
    few = values[0].type.nbytes * len(values) <= STACKED_BYTES
    once = len(set(values)) == len(values)  # else what is stored would be read again and again
    if few or (once and len(sources) == len(values)):
        return concat([_repeated(value, 1) for value in values], 0)
    return None


def _repeated(value: Node, count: int) -> Node:
    """A value along a new first axis, as often as told."""
    shape = value.type.shape
    axes = tuple([ViewAxis(dim + 1, 0, 1) for dim in range(len(shape))])
    return apply(View((count, *shape), axes), value, line="")


def _stacked_formulas(values: Alike, stacks: Stacks) -> Node | None:
    """The formula that they have in common, of stacked inputs and of numbers that differ."""
    shape = (len(values), *values[0].type.shape)
    common = formula_of_all(values)
    if common is None or any(value.type.shape != shape[1:] for value in values):
        return None
    inputs = [stacks[own] for own in zip(*[value.inputs for value in values], strict=True)]
    given = [x for x in inputs if x is not None]
    if len(given) < len(inputs):
        return None
    shown = View(shape, (ViewAxis(0, 0, 1),))
    numbers = [apply(shown, constant(own), line="") for own in common.numbers]
    return apply(common.formula, *given, *numbers, line="")


def _stacked_views(values: Alike, stacks: Stacks) -> Node | None:
    """Views of one value, each of another cell along one axis, or the same view of alike ones."""
    views = [value.operator for value in values]
    axes: list[tuple[ViewAxis, ...]] = [view.axes for view in views]  # type: ignore[attr-defined]
    shape = values[0].type.shape
    same = all(value.type.shape == shape for value in values)
    if not same or any(view.runs for view in views):  # type: ignore[attr-defined]
        return None
    shown = [axis if axis.dim < 0 else axis._replace(dim=axis.dim + 1) for axis in axes[0]]
    whole = (len(values), *shape)
    bases = [value.inputs[0] for value in values]
    if any(base is not bases[0] for base in bases):
        base = stacks[tuple(bases)] if len(set(axes)) == 1 else None
        made = View(whole, (ViewAxis(0, 0, 1), *shown))
        return None if base is None else apply(made, base, line="")
    return _stacked_cells(bases[0], axes, shown, whole)


def _stacked_cells(
    base: Node,
    axes: Sequence[tuple[ViewAxis, ...]],
    shown: list[ViewAxis],
    whole: tuple[int, ...],
) -> Node | None:
    """Views of `base` that differ along one axis, of which each shows another cell."""
    differ = [n for n, own in enumerate(zip(*axes, strict=True)) if len(set(own)) > 1]
    if len(differ) != 1 or any(own[differ[0]].dim >= 0 for own in axes):
        return None
    (at,) = differ
    places = np.array([own[at].start for own in axes])
    steps = np.diff(places)
    if (steps == steps[0]).all() and steps[0] != 0:
        shown[at] = ViewAxis(0, int(places[0]), int(steps[0]))
    else:
        base = take.take_places(base, [constant(places)], [at], at, IndexRanges.of([places]))
        shown[at] = ViewAxis(0, 0, 1)
    return apply(View(whole, tuple(shown)), base, line="")
