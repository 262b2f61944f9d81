"""Value spans: between which integers the cells of a formula lie, as its functions alone tell.

`x % 7` lies in 0 to 6 and `a < b` in 0 to 1, whatever the data. What a formula may overflow has the
span of its dtype.

Source: Moore, "Interval Analysis", Prentice-Hall, 1966.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Final, NamedTuple

import numpy as np

from dask_tapestry.cells.expression import CellExpression, CellStep, DType


class Span(NamedTuple):
    """The least and the greatest integer that cells can be."""

    least: int
    most: int

    @property
    def extent(self) -> int:
        """How many integers there are."""
        return self.most - self.least + 1

    def is_within(self, other: Span) -> bool:
        """Whether all its integers are the other's."""
        return other.least <= self.least and self.most <= other.most

    def joined(self, other: Span) -> Span:
        """The span of what lies in either."""
        return Span(min(self.least, other.least), max(self.most, other.most))


def span_of_dtype(dtype: DType) -> Span | None:
    """The integers that a dtype holds; None if it holds others.

    Examples
    --------
    >>> span_of_dtype(np.dtype("u1")), span_of_dtype(np.dtype("f8"))
    (Span(least=0, most=255), None)
    """
    if dtype.kind == "b":
        return Span(0, 1)
    if dtype.kind not in "iu":
        return None
    return Span(int(np.iinfo(dtype.str).min), int(np.iinfo(dtype.str).max))


def span_of_expression(
    expression: CellExpression, parameters: Sequence[Span | None]
) -> Span | None:
    """The span of a formula, by those of its parameters; None if it is no integer.

    Examples
    --------
    >>> i8 = np.dtype("i8")
    >>> from dask_tapestry.cells.expression import CellBuilder
    >>> b = CellBuilder((i8,))
    >>> seventh = b.finish(b.call("remainder", (0, b.constant(np.int64(7))), i8))
    >>> span_of_expression(seventh, [None])
    Span(least=0, most=6)
    """
    dtypes = [*expression.parameters, *[step.dtype for step in expression.steps]]
    spans = [one or span_of_dtype(d) for one, d in zip(parameters, dtypes, strict=False)]
    for step in expression.steps:
        spans.append(_span(step, expression, spans))
    return spans[-1]


def _span(step: CellStep, expression: CellExpression, spans: Sequence[Span | None]) -> Span | None:
    own = span_of_dtype(step.dtype)
    if own is None:
        return None
    if step.function == "constant":
        value = int(expression.constant(step))
        return Span(value, value)
    rule, given = RULES.get(step.function), [spans[number] for number in step.operands]
    if rule is None or None in given:
        return own
    found = rule(*given)
    return found if found is not None and found.is_within(own) else own


def _of_ends(function: Callable[[int, int], int], a: Span, b: Span) -> Span:
    """Of a function that grows or falls along each operand: its ends lie at theirs."""
    ends = [function(x, y) for x, y in product(a, b)]
    return Span(min(ends), max(ends))


def _remainder(a: Span, b: Span) -> Span | None:
    if b.least < 1:
        return None
    return Span(0, min(b.most - 1, a.most) if a.least >= 0 else b.most - 1)


def _floor_divide(a: Span, b: Span) -> Span | None:
    return _of_ends(int.__floordiv__, a, b) if b.least > 0 else None


def _right_shift(a: Span, b: Span) -> Span | None:
    return _of_ends(int.__rshift__, a, b) if b.least >= 0 and b.most < 64 else None


def _bitwise_and(a: Span, b: Span) -> Span | None:
    tops = [one.most for one in (a, b) if one.least >= 0]
    return Span(0, min(tops)) if tops else None


def _absolute(a: Span) -> Span:
    least = 0 if a.least <= 0 <= a.most else min(map(abs, a))
    return Span(least, max(map(abs, a)))


Rule = Callable[..., Span | None]
RULES: Final[Mapping[str, Rule]] = {
    "cast": lambda a: a,
    "positive": lambda a: a,
    "negative": lambda a: Span(-a.most, -a.least),
    "absolute": _absolute,
    "sign": lambda a: Span(max(-1, min(1, a.least)), max(-1, min(1, a.most))),
    "add": lambda a, b: Span(a.least + b.least, a.most + b.most),
    "subtract": lambda a, b: Span(a.least - b.most, a.most - b.least),
    "multiply": lambda a, b: _of_ends(int.__mul__, a, b),
    "floor_divide": _floor_divide,
    "remainder": _remainder,
    "right_shift": _right_shift,
    "bitwise_and": _bitwise_and,
    "minimum": lambda a, b: Span(min(a.least, b.least), min(a.most, b.most)),
    "maximum": lambda a, b: Span(max(a.least, b.least), max(a.most, b.most)),
    "where": lambda _, a, b: a.joined(b),
}
