"""Fast math: rules of algebra, not of floating point; off unless ``algebra="fast"`` is set.

They change the last bits of sums and quotients, or where these overflow. The results are still the
same for every sharding.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from dask_tapestry.cells import CellBuilder, CellExpression
from dask_tapestry.operators.cells.elementwise import Elementwise, elementwise
from dask_tapestry.operators.reductions.reduce import Reduce, reduce
from dask_tapestry.rewrite.rule import on
from dask_tapestry.rules.broadcasts import (
    as_written,
    folded,
    is_idempotent,
    repeated,
    spread_of,
)
from dask_tapestry.teg import Node, apply


@on(Elementwise)
def multiply_by_reciprocal(node: Node) -> Node | None:
    """``x / c -> x * (1 / c)``, c being a constant."""
    match node.operator:
        case Elementwise(expression) if any(step.function == "divide" for step in expression.steps):
            builder = CellBuilder(expression.parameters)
            numbers = list(range(len(expression.parameters)))
            for step in expression.steps:
                moved = step._replace(operands=tuple(numbers[i] for i in step.operands))
                divisor = constant_step(expression, step.operands[-1]) if step.operands else None
                if step.function == "divide" and divisor is not None and _inverts(divisor):
                    other = builder.constant(step.dtype.type(1) / divisor)
                    moved = moved._replace(function="multiply", operands=(moved.operands[0], other))
                numbers.append(builder.step(moved))
            formula = builder.finish(numbers[-1])
            return None if formula == expression else apply(Elementwise(formula), *node.inputs)
    return None


def constant_step(expression: CellExpression, value: int) -> Any:
    """The scalar that a value of a formula is, or None."""
    place = value - len(expression.parameters)
    if place < 0 or expression.steps[place].function != "constant":
        return None
    return expression.constant(expression.steps[place])


def _inverts(divisor: Any) -> bool:
    """Whether the reciprocal is a number, of full precision."""
    if divisor.dtype.kind != "f" or not np.isfinite(divisor) or not divisor:
        return False
    with np.errstate(all="ignore"):
        reciprocal = abs(divisor.dtype.type(1) / divisor)
    return bool(np.isfinite(reciprocal) and reciprocal >= np.finfo(divisor.dtype).tiny)


@on(Reduce)
def sum_before_factor(node: Node) -> Node | None:
    """``sum|mean(c * x) -> c * sum|mean(x)``, c being a constant; for floats."""
    match node.operator, *(x.operator for x in node.inputs):
        case Reduce("sum" | "mean" as monoid) as whole, Elementwise(expression) if whole.is_plain:
            (source,) = node.inputs
        case _:
            return None
    if whole.dtype.kind not in "fc" or not whole.dtype == whole.state == source.type.dtype:
        return None
    if len(source.inputs) != 1 or expression.parameters != (whole.dtype,):
        return None
    if [step.function for step in expression.steps] != ["constant", "multiply"]:
        return None
    if sorted(expression.steps[1].operands) != [0, 1]:
        return None
    inner = reduce(source.inputs[0], monoid, whole.axes, dtype=whole.dtype, tree=whole.tree)
    made = elementwise("multiply", inner, expression.constant(expression.steps[0]))
    return as_written(made, node)


@on(Elementwise)
def variance_of_moments(node: Node) -> Node | None:
    """``mean(x ** 2) - mean(x) ** 2 -> var(x)``; for floats: no digits cancel, x is read once."""
    match node.operator:
        case Elementwise(expression) if str(expression) == "subtract($0, $1)":
            squares, (mean, power) = node.inputs[0], unsquared(node.inputs[1])
        case _:
            return None
    match mean.operator, squares.operator:
        case Reduce("mean") as first, Reduce("mean") as second if first == second and power == 2:
            x, power = unsquared(squares.inputs[0])
        case _:
            return None
    if not first.is_plain or power != 2 or x is not mean.inputs[0] or first.dtype.kind != "f":
        return None
    if first.dtype != x.type.dtype:
        return None
    return as_written(reduce(x, "var", first.axes, tree=first.tree), node)


def unsquared(node: Node) -> tuple[Node, int]:
    """(x, 2) for ``x ** 2``, else (node, 1)."""
    match node.operator:
        case Elementwise(expression) if expression.parameters == (expression.dtype,):
            if str(expression) in ("square($0)", "multiply($0, $0)", "power($0, 2.0)"):
                return node.inputs[0], 2
    return node, 1


@on(Reduce)
def float_sum_of_broadcast(node: Node) -> Node | None:
    """``sum(broadcast(x)) -> n * sum(x)``, ``mean(broadcast(x)) -> mean(x)``; for floats."""
    match node.operator:
        case Reduce("sum") as whole if whole.is_plain and whole.state.kind in "fc":
            return repeated(node, whole) if whole.state == whole.dtype else None
        case Reduce("mean") as whole if whole.is_plain and whole.state.kind in "fc":
            spread = spread_of(whole, node.inputs[0])
            if spread is None or not spread.times or not prod(whole.tree.extents):
                return None
            return as_written(folded(spread, whole), node)
    return None


@on(Reduce)
def float_fold_of_broadcast(node: Node) -> Node | None:
    """``min|max(broadcast(x)) -> min|max(x)``; for floats, where either zero may come out."""
    match node.operator:
        case Reduce("min" | "max" | "fmin" | "fmax") as whole if whole.is_plain and is_idempotent(
            whole, node.inputs[0]
        ):
            spread = spread_of(whole, node.inputs[0])
            if spread is None or not spread.times:
                return None
            return as_written(folded(spread, whole), node)
    return None


FAST_RULES = (
    multiply_by_reciprocal,
    sum_before_factor,
    variance_of_moments,
    float_sum_of_broadcast,
    float_fold_of_broadcast,
)
