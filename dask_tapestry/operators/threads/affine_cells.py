"""Affine cells: integers that are sums of multiples of symbols, and what they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from dask_tapestry.cells import CellExpression
from dask_tapestry.operators.cells.elementwise import Elementwise
from dask_tapestry.operators.generators.full import Full
from dask_tapestry.teg import Node, Tensor
from dask_tapestry.teg.node import topological


class Affine(NamedTuple):
    """``sum(coefficients[j] * symbol j) + constant``."""

    coefficients: tuple[int, ...]
    constant: int

    def plus(self, other: Affine, times: int = 1) -> Affine:
        """The sum with `times` the other one."""
        pairs = zip(self.coefficients, other.coefficients, strict=True)
        return Affine(
            tuple(a + times * b for a, b in pairs), self.constant + times * other.constant
        )

    def of(self, values: Sequence[int]) -> int:
        """What it is where the symbols have these values."""
        return self.constant + sum(c * v for c, v in zip(self.coefficients, values, strict=True))

    @property
    def is_constant(self) -> bool:
        """Whether no symbol moves it."""
        return not any(self.coefficients)


def affine_of(value: Tensor, symbols: Sequence[Node]) -> Affine | None:
    """`value`, an integer without dimensions, as a sum of multiples of `symbols`; None if none.

    Examples
    --------
    >>> import numpy as np
    >>> from dask_tapestry.operators.cells.elementwise import elementwise
    >>> from dask_tapestry.operators.generators.symbol import symbol
    >>> i, j = (symbol("a number", "", np.dtype("i8")) for _ in range(2))
    >>> affine_of(elementwise("subtract", elementwise("multiply", i, 4), j), [i, j])
    Affine(coefficients=(4, -1), constant=0)
    """
    none = (0,) * len(symbols)
    forms: dict[Node, Affine | None] = {}
    for node in topological([value]):
        if node in symbols:
            at = symbols.index(node)
            forms[node] = Affine(tuple(int(j == at) for j in range(len(symbols))), 0)
        elif isinstance(node.operator, Full) and node.type.dtype.kind in "iu":
            forms[node] = Affine(none, int(node.operator.scalar))
        elif isinstance(node.operator, Elementwise):
            given = [forms[x] for x in node.inputs]
            forms[node] = _evaluated(node.operator.expression, given, none)
        else:
            forms[node] = None
    return forms[value]


def _evaluated(
    formula: CellExpression, given: Sequence[Affine | None], none: tuple[int, ...]
) -> Affine | None:
    values = list(given)
    for step in formula.steps:
        operands = [values[number] for number in step.operands]
        if step.dtype.kind not in "iu":
            values.append(None)
        elif step.function == "constant":
            values.append(Affine(none, int(formula.constant(step))))
        else:
            values.append(_step(step.function, operands))
    return values[-1]


def _step(function: str, operands: Sequence[Affine | None]) -> Affine | None:
    known = [one for one in operands if one is not None]
    if len(known) < len(operands):
        return None
    match function, known:
        case ("cast" | "positive", [x]):
            return x
        case ("negative", [x]):
            return _times(x, -1)
        case ("add", [x, y]):
            return x.plus(y)
        case ("subtract", [x, y]):
            return x.plus(y, -1)
        case ("multiply", [x, y]) if y.is_constant:
            return _times(x, y.constant)
        case ("multiply", [x, y]) if x.is_constant:
            return _times(y, x.constant)
    return None


def _times(x: Affine, factor: int) -> Affine:
    return Affine(tuple(factor * c for c in x.coefficients), factor * x.constant)


def known_integer(value: Tensor) -> int | None:
    """The integer that `value` is; None if it must be computed."""
    form = affine_of(value, ())
    return None if form is None else form.constant
