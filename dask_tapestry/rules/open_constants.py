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
from dask_tapestry.cells.references import unpacked
from dask_tapestry.io.sources.numpy_source import source_of
from dask_tapestry.operators.cells.elementwise import Elementwise
from dask_tapestry.operators.views.broadcast import broadcast
from dask_tapestry.rewrite.user_rules import mutators_in_force, rules_in_force
from dask_tapestry.rules.tuning import OPEN_CELLS
from dask_tapestry.settings import setting
from dask_tapestry.teg import Node, Sink, Source, Tensor, TensorType, apply
from dask_tapestry.teg.node import reapply, written_as

NUMBERS: Final = "biufc"  # kinds of constants that are opened


def open_formulas(order: Sequence[Node]) -> dict[Node, CellExpression]:
    """The nodes of a graph whose constants can be inputs, and what is left of their formulas.

    `order` is all of its nodes. There are none where a formula is large, or the user's rules or
    those of fast algebra may look at its constants, and where something is written or waited for.
    """
    found = {node: formula for node in order if (formula := _general_formula(node)) is not None}
    if not (found and all(map(_is_small, order))):
        return {}
    if rules_in_force() or mutators_in_force() or setting("algebra") != "exact":
        return {}
    return found


def _general_formula(node: Node) -> CellExpression | None:
    """What a formula of numbers has in common with those of other numbers; None of other nodes."""
    if not isinstance(node.operator, Elementwise):
        return None
    told = constants_of(node)
    others = [step for step in told if step.dtype.kind not in NUMBERS]
    return node.operator.expression.without_constants if told and not others else None


def with_open_constants(
    roots: Sequence[Node],
    order: Sequence[Node],
    given: Mapping[Node, Node],
    formulas: Mapping[Node, CellExpression],
) -> list[Node]:
    """The values `roots`, of whose `open_formulas` the constants are arrays of one cell.

    `order` is all nodes, inputs before what reads them; `given` the sources that some of them are.
    """
    opened: dict[Node, Node] = dict(given)
    for node in order:
        if node in given:
            continue
        inputs = [opened[x] for x in node.inputs]
        if node not in formulas:
            opened[node] = reapply(node, inputs, [opened[x] for x in node.after])
            continue
        with written_as(node):
            told = [source_of_constant(step, node) for step in constants_of(node)]
            numbers = [broadcast(number, node.type.shape) for number in told]
            opened[node] = apply(_of_parameters(formulas[node]), *inputs, *numbers)
    return [opened[root] for root in roots]


def constants_of(node: Node) -> tuple[CellStep, ...]:
    """The constants of a formula, in order."""
    operator = node.operator
    assert isinstance(operator, Elementwise)
    return operator.expression.constants


def source_of_constant(step: CellStep, node: Node) -> Tensor:
    """A constant of a node as an array of one cell, which was written where the node was.

    It is none that a user gives, whatever that holds.
    """
    told = step.value or b""
    cell = np.asarray(unpacked(told, step.dtype))
    type_, line = TensorType((), step.dtype), node.line or ""
    return source_of(f"constant {told.hex()}", type_, cell, line=line)


def _is_small(node: Node) -> bool:
    """Whether planning a node takes longer than computing it; of an array few cells may be read."""
    operator = node.operator
    if isinstance(operator, Sink) or node.after or node.format is not None:
        return False
    return node.type.size <= OPEN_CELLS or (isinstance(operator, Source) and operator.external)


@lru_cache(maxsize=256)
def _of_parameters(expression: CellExpression) -> Elementwise:
    """The formula with a parameter for each constant, after its own; it is given without them."""
    count = len(expression.parameters)
    builder = CellBuilder([*expression.parameters, *[step.dtype for step in expression.constants]])
    numbers, free = list(range(count)), count
    for step in expression.steps:
        if step.function == "constant":
            numbers.append(free)
            free += 1
        else:
            numbers.append(builder.step(step.on(tuple([numbers[i] for i in step.operands]))))
    return Elementwise(builder.finish(numbers[-1]))
