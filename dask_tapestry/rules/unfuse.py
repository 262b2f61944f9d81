"""Unfusing: the graph of which each formula has one function, however a plan has grouped them.

Fusion and rules write formulas into each other and into what reads through them. Graphs that differ
in no more than that become one graph here, so that a plan's programs can be compared with the graph
that they were made of.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dask_tapestry.cells import CellBuilder, CellExpression, identity
from dask_tapestry.cells.expression import CellStep
from dask_tapestry.operators.cells.elementwise import Elementwise
from dask_tapestry.teg import Graph, Node, apply
from dask_tapestry.teg.annotations import NONE
from dask_tapestry.teg.node import reapply, topological, written_as


class Unfused:
    """Nodes with one function a formula; equal parts of several graphs are unfused once.

    Annotations are left out.

    Parameters
    ----------
    known
        Nodes that stand for others, such as the arrays for a plan's slots.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> x = (dt.arange(4) + 0.5).sum()
    >>> print(Unfused().graph(x.teg))
    %0 = arange(0, 4, 1) : int64[4]
    %1 = elementwise(%0) : float64[4]  # float64(%0)
    %2 = elementwise(%1) : float64[4]  # add(%1, 0.5)
    %3 = reduce(%2, sum, axes=(0,)) : float64[]
    return %3
    """

    def __init__(self, known: Mapping[Node, Node] | None = None) -> None:
        self._done: dict[Node, Node] = dict(known or {})

    def graph(self, graph: Graph) -> Graph:
        """A graph, unfused."""
        return Graph([self.node(root) for root in graph.roots])

    def node(self, node: Node) -> Node:
        """A node, unfused, with all before it."""
        done = self._done
        for before in topological([node], known=done):
            now = [done[x] for x in before.inputs], [done[a] for a in before.after]
            with written_as(None):
                done[before] = unfused_node(before, *now)
        return done[node]


def unfused_node(node: Node, inputs: Sequence[Node], after: Sequence[Node] = ()) -> Node:
    """`node` over other inputs, with the formulas that it reads through as nodes before it."""
    operator, line = node.operator, node.line or ""
    formulas = operator.formulas(node.input_types)
    values = [_value(formula, inputs, line) for formula in formulas]
    formula_values = [value for value in values if value is not None]
    if not formulas or len(formula_values) < len(values):
        return reapply(node, inputs, after, NONE)
    if not operator.is_formula:
        places = list(dict.fromkeys(formula_values))
        through = operator.with_formulas(_choosing(places, formula_values))
        return apply(through, *places, after=after, line=line)
    (value,) = formula_values
    if value.type.dtype != node.type.dtype:
        return reapply(node, inputs, after, NONE)
    return reapply(value, value.inputs, (*value.after, *after)) if after else value


def _choosing(places: list[Node], read: list[Node]) -> tuple[CellExpression, ...]:
    """For each value read the formula that is no more than its number among `places`."""
    if len(read) == 1:
        return (identity(read[0].type.dtype),)
    dtypes = [x.type.dtype for x in places]
    return tuple(CellBuilder(dtypes).finish(places.index(value)) for value in read)


def _value(formula: CellExpression, inputs: Sequence[Node], line: str) -> Node | None:
    """The node of a formula's value; None if it reads no input."""
    values: list[Node | None] = list(inputs)
    steps: list[CellStep | None] = [None] * len(inputs)
    for step in formula.steps:
        operands = [values[i] for i in step.operands]
        read = [x for x in operands if x is not None]
        values.append(_one_step(step, steps, values, line) if read else None)
        steps.append(step)
    return values[-1] if formula.steps else inputs[len(formula.parameters) - 1]


def _one_step(
    step: CellStep, steps: Sequence[CellStep | None], values: Sequence[Node | None], line: str
) -> Node:
    """A node of one function, whose other operands are constants."""
    inputs = list(dict.fromkeys(x for i in step.operands if (x := values[i]) is not None))
    if step.function == "cast" and inputs[0].type.dtype == step.dtype:
        return inputs[0]
    builder = CellBuilder([x.type.dtype for x in inputs])
    numbers: dict[int, int] = {}

    def number(i: int) -> int:
        """The value in the small formula; constants of constants are as deep as users write."""
        value, inner = values[i], steps[i]
        if value is not None:
            return inputs.index(value)
        if i not in numbers:
            assert inner is not None
            moved = tuple(number(j) for j in inner.operands)
            numbers[i] = builder.step(inner._replace(operands=moved))
        return numbers[i]

    operands = tuple(number(i) for i in step.operands)
    formula = builder.finish(builder.step(step._replace(operands=operands)))
    return apply(Elementwise(formula), *inputs, line=line)
