"""The formula that alike values have in common, and the numbers in which theirs differ."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from dask_tapestry.cells import CellBuilder, CellExpression
from dask_tapestry.cells.references import unpacked
from dask_tapestry.operators.cells.elementwise import Elementwise
from dask_tapestry.teg import Node


class CommonFormula(NamedTuple):
    """A formula, and what it takes after the inputs of each value.

    Attributes
    ----------
    formula
        With a parameter, after its own, for each number in which the values differ.
    numbers
        For each of these parameters, the number of each value.
    """

    formula: Elementwise
    numbers: tuple[np.ndarray[Any, Any], ...]


def formula_of_all(values: Sequence[Node]) -> CommonFormula | None:
    """The formula that values have in common; None where they are of several, or of none."""
    expressions = [x.operator.expression for x in values if isinstance(x.operator, Elementwise)]
    if len(expressions) < len(values):
        return None
    first = expressions[0]
    if all(one == first for one in expressions[1:]):
        operator = values[0].operator
        assert isinstance(operator, Elementwise)
        return CommonFormula(operator, ())
    if any(one.without_constants != first.without_constants for one in expressions[1:]):
        return None
    told = list(zip(*[one.constants for one in expressions], strict=True))
    differ = [len({step.value for step in steps}) > 1 for steps in told]
    numbers = []
    for steps in [steps for steps, one in zip(told, differ, strict=True) if one]:
        dtype = steps[0].dtype
        if dtype.kind not in "biufcmM":
            return None
        numbers.append(np.array([unpacked(step.value or b"", dtype) for step in steps], dtype))
    return CommonFormula(Elementwise(_opened(first, differ)), tuple(numbers))


def _opened(expression: CellExpression, differ: Sequence[bool]) -> CellExpression:
    """An expression with parameters, after its own, for those of its constants that differ."""
    told = [step for step, one in zip(expression.constants, differ, strict=True) if one]
    count = len(expression.parameters)
    builder = CellBuilder([*expression.parameters, *[step.dtype for step in told]])
    numbers, is_open, free = list(range(count)), iter(differ), iter(range(count, count + len(told)))
    for step in expression.steps:
        if step.function == "constant" and next(is_open):
            numbers.append(next(free))
        else:
            numbers.append(builder.step(step.on(tuple([numbers[i] for i in step.operands]))))
    return builder.finish(numbers[-1])
