"""Open constants: the constants of small formulas as inputs, so that one plan serves all of them.

``x[x > t]`` and ``(x - m) / s`` are computed in loops with other numbers each time, and planning
takes ten times as long as a formula of a thousand cells does. A plan for a graph whose constants
are arrays of one cell is one for any constants: no rule has looked at them. The values are the
same, bit for bit, as a function is given the same operands.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final

import numpy as np

from dask_tapestry.cells import CellBuilder, CellExpression, CellStep
from dask_tapestry.io.sources.numpy_source import constant
from dask_tapestry.operators.cells.elementwise import Elementwise
from dask_tapestry.operators.views.broadcast import broadcast
from dask_tapestry.rewrite.user_rules import mutators_in_force, rules_in_force
from dask_tapestry.rules.tuning import OPEN_CELLS
from dask_tapestry.settings import setting
from dask_tapestry.teg import Node, Sink, Source, Tensor, apply
from dask_tapestry.teg.node import reapply, written_as

NOTHING: Final[Mapping[Node, Node]] = {}
NUMBERS: Final = "biufc"  # kinds of constants that are opened


def may_be_opened(order: Sequence[Node]) -> bool:
    """Whether the constants of a graph can be inputs; `order` is all of its nodes.

    Not where a formula is large, or the user's rules or those of fast algebra may look at its
    constants, and not where something is written or waited for.
    """
    if rules_in_force() or mutators_in_force() or setting("algebra") != "exact":
        return False
    return any(map(general_formula, order)) and all(map(_is_small, order))


def general_formula(node: Node) -> CellExpression | None:
    """What a formula of numbers has in common with those of other numbers; None of other nodes."""
    operator = node.operator
    if not isinstance(operator, Elementwise):
        return None
    told = _told(operator.expression)
    numbers = bool(told) and all(step.dtype.kind in NUMBERS for step in told)
    return operator.expression.without_constants if numbers else None


def with_open_constants(
    roots: Sequence[Node], order: Sequence[Node], given: Mapping[Node, Node] = NOTHING
) -> list[Node]:
    """The values `roots`, of whose formulas the constants are arrays of one cell.

    `order` is all nodes, inputs before what reads them; `given` the sources that some of them are.
    """
    opened: dict[Node, Node] = dict(given)
    for node in order:
        if node in given:
            continue
        inputs = [opened[x] for x in node.inputs]
        formula = general_formula(node)
        if formula is None:
            opened[node] = reapply(node, inputs)
            continue
        with written_as(node):
            numbers = [broadcast(one, node.type.shape) for one in _numbers(node)]
            opened[node] = apply(_of_parameters(formula), *inputs, *numbers)
    return [opened[root] for root in roots]


def _is_small(node: Node) -> bool:
    """Whether planning a node takes longer than computing it; of an array few cells may be read."""
    operator = node.operator
    if isinstance(operator, Sink) or node.after or node.format is not None:
        return False
    return node.type.size <= OPEN_CELLS or (isinstance(operator, Source) and operator.external)


def _told(expression: CellExpression) -> list[CellStep]:
    """The steps of an expression that are constants, in order."""
    return [step for step in expression.steps if step.function == "constant"]


def _numbers(node: Node) -> list[Tensor]:
    """The constants of a formula as arrays of one cell."""
    operator = node.operator
    assert isinstance(operator, Elementwise)
    expression = operator.expression
    return [constant(np.asarray(expression.constant(step))) for step in _told(expression)]


@lru_cache(maxsize=256)
def _of_parameters(expression: CellExpression) -> Elementwise:
    """The formula with a parameter for each constant, after its own; it is given without them."""
    count = len(expression.parameters)
    builder = CellBuilder([*expression.parameters, *[step.dtype for step in _told(expression)]])
    numbers, free = list(range(count)), count
    for step in expression.steps:
        if step.function == "constant":
            numbers.append(free)
            free += 1
        else:
            numbers.append(builder.step(step.on(tuple([numbers[i] for i in step.operands]))))
    return Elementwise(builder.finish(numbers[-1]))
