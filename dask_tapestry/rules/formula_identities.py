"""Rules on formulas: identities, and constants that are computed while planning."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from dask_tapestry.cells import CellBuilder, CellExpression
from dask_tapestry.cells.expression import CellStep
from dask_tapestry.cells.references import packed
from dask_tapestry.operators.cells.elementwise import Elementwise
from dask_tapestry.operators.generators.full import Full
from dask_tapestry.rewrite.rule import on
from dask_tapestry.rules.scalar_identities import CELL_RULES, INVOLUTIONS, PROJECTIONS, constant_of
from dask_tapestry.teg import Node, apply
from dask_tapestry.teg.types import TensorType
from dask_tapestry_kernels.devices import kernels_of

UNDOABLE: Final = INVOLUTIONS | PROJECTIONS | {"cast"}  # by applying the same function again
FOLDED: Final = "biufcmM"  # kinds of constants that are computed while planning


@on(Elementwise)
def fold_formula_of_constants(node: Node) -> Node | None:
    """``elementwise(f, full(a), full(b)) -> full(f(a, b))``."""
    match node.operator:
        case Elementwise(expression) if all(isinstance(x.operator, Full) for x in node.inputs):
            operators = [x.operator for x in node.inputs]
            cells = [np.full(1, one.scalar) for one in operators if isinstance(one, Full)]
            value = value_of(expression, cells)
            return None if value is None else constant(value, node.type)
    return None


@on(Elementwise)
def simplify_formula(node: Node) -> Node | None:
    """``elementwise(f, x) -> elementwise(g, x)|x``, g being f without identities and constants."""
    match node.operator:
        case Elementwise(expression) if _may_shrink(expression):
            builder = CellBuilder(expression.parameters)
            result = simplified(builder, expression)
            if tuple(builder.steps) == expression.steps:
                return None
            return _rebuilt(node, builder, result, node.inputs)
    return None


@on(Elementwise)
def undo_formula(node: Node) -> Node | None:
    """``elementwise(f, elementwise(g, x)) -> elementwise(h, x)|x``, where f undoes or repeats g."""
    match node.operator:
        case Elementwise(expression):
            functions = {step.function for step in expression.steps} & UNDOABLE
        case _:
            return None
    for number, x in enumerate(node.inputs if functions else ()):
        match x.operator:
            case Elementwise(inner) if (
                len(inner.steps) == 1 and inner.steps[0].function in functions
            ):
                inputs = [*node.inputs[:number], *x.inputs, *node.inputs[number + 1 :]]
                found = _inlined(node, number, inner, inputs)
                if found is not None:
                    return found
    return None


def _inlined(node: Node, number: int, inner: CellExpression, inputs: list[Node]) -> Node | None:
    """`node` with the formula of an input written into it, if that adds no step."""
    (outer,) = node.operator.formulas(node.input_types)
    tensors = list(dict.fromkeys(inputs))
    builder = CellBuilder([x.type.dtype for x in tensors])
    numbers = [tensors.index(x) for x in inputs]
    numbers[number] = simplified(builder, inner, [numbers[number]])
    result = simplified(builder, outer, numbers)
    if result >= len(tensors) and len(builder.finish(result).steps) > len(outer.steps):
        return None
    return _rebuilt(node, builder, result, tuple(tensors))


def _may_shrink(expression: CellExpression) -> bool:
    """Whether a step may be an identity; most formulas have none and are left at once."""
    return any(step.function in CELL_RULES for step in expression.steps) or _is_constant(expression)


def _is_constant(expression: CellExpression) -> bool:
    """Whether all operands of a step are constants."""
    count = len(expression.parameters)
    constants = {n for n, s in enumerate(expression.steps, count) if s.function == "constant"}
    return bool(constants) and any(
        step.operands and constants.issuperset(step.operands) for step in expression.steps
    )


def simplified(
    builder: CellBuilder, expression: CellExpression, operands: list[int] | None = None
) -> int:
    """Write `expression` into `builder` without identities; return the number of its value."""
    numbers = list(range(len(expression.parameters))) if operands is None else operands[:]
    for step in expression.steps:
        moved = tuple([numbers[i] for i in step.operands])
        numbers.append(_simplest(builder, step.on(moved)))
    return numbers[-1]


def _simplest(builder: CellBuilder, step: CellStep) -> int:
    for rule in CELL_RULES.get(step.function, ()):
        found = rule(builder, step)
        if found is not None:
            return found
    known = [constant_of(builder, i) for i in step.operands]
    if known and all(scalar is not None for scalar in known):
        alone = CellBuilder([scalar.dtype for scalar in known])
        formula = alone.finish(alone.call(step.function, range(len(known)), step.dtype))
        value = value_of(formula, [np.full(1, scalar) for scalar in known])
        if value is not None:
            return builder.constant(value)
    return builder.step(step)


def value_of(expression: CellExpression, cells: list[np.ndarray[Any, Any]]) -> Any:
    """The formula's value for blocks of one cell, from the kernel that computes all blocks.

    None for strings, and where it has none: then the worker raises the error.
    """
    steps = expression.steps
    kinds = [d.kind for d in (*expression.parameters, *[s.dtype for s in steps])]
    if not all(kind in FOLDED for kind in kinds):
        return None
    try:
        return kernels_of("cpu")["map"](None, *cells, expression=expression)[0]
    except ValueError:  # an integer to a negative power
        return None


def constant(value: Any, type_: TensorType) -> Node:
    """A tensor whose cells all hold `value`."""
    return apply(Full(type_, packed(np.asarray(value, type_.dtype))))


def _rebuilt(
    node: Node, builder: CellBuilder, result: int, inputs: tuple[Node, ...]
) -> Node | None:
    """The formula whose result is value `result`, without inputs that it does not read."""
    if result < len(inputs):
        return inputs[result] if inputs[result].type == node.type else None
    scalar = constant_of(builder, result)
    if scalar is not None:
        return constant(scalar, node.type)
    formula = builder.finish(result)
    inputs_read = sorted({i for s in formula.steps for i in s.operands if i < len(inputs)})
    if not inputs_read:
        return None
    small = CellBuilder([formula.parameters[i] for i in inputs_read])
    numbers = [inputs_read.index(i) if i in inputs_read else 0 for i in range(len(inputs))]
    rebuilt_node = apply(
        Elementwise(small.finish(small.inline(formula, numbers))), *[inputs[i] for i in inputs_read]
    )
    return rebuilt_node if rebuilt_node.type == node.type else None


FORMULA_RULES = (fold_formula_of_constants, simplify_formula, undo_formula)
