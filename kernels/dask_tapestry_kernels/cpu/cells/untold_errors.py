"""Steps of a formula that may tell errors nobody has told yet, and what these steps read."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

import numpy as np

from dask_tapestry_kernels.floating_point import KINDS, Untold, text_of
from dask_tapestry_kernels.formulas.function_table import (
    DIVIDE,
    FAR,
    INTEGER_DIVISIONS,
    INVALID,
    NO,
    NONE,
    RANGE,
    facts_of,
)

_ALL: Final = frozenset(KINDS)


class Text(NamedTuple):
    """An error that a step may meet: the kind that flags show, NumPy's kind, and its words."""

    shown: str
    kind: str
    words: str


class StepsToTell(NamedTuple):
    """Of each step whether it is computed, whether such a one reads it, and what it may tell."""

    computed: tuple[bool, ...]
    read: tuple[bool, ...]
    told: tuple[tuple[Text, ...], ...]


def kinds_told(function: str) -> frozenset[str]:
    """The kinds of errors that NumPy may tell of a function of real numbers.

    Examples
    --------
    >>> sorted(kinds_told("multiply")), sorted(kinds_told("greater"))
    (['invalid', 'over', 'under'], [])
    """
    facts = facts_of(function)
    if facts.errors == NONE:
        return frozenset()
    kinds = _ALL - {"invalid"} if facts.errors == RANGE else _ALL
    return kinds - {"divide"} if facts.poles == NO else kinds


@lru_cache(maxsize=1024)
def steps_to_tell(expression: Any, wanted: Untold, finite: bool = False) -> StepsToTell:
    """The steps that may meet an error which has not been told, and the steps that they read.

    Parameters
    ----------
    finite
        Whether no operand of a step is infinite.
    """
    told = [
        tuple([t for t in texts if t.shown in wanted.shown and t.kind in wanted.kinds])
        for texts in _texts(expression, finite)
    ]
    told = [tuple([t for t in texts if t.words not in wanted.heard]) for texts in told]
    return StepsToTell(*_with_operands(expression, [bool(texts) for texts in told]), tuple(told))


@lru_cache(maxsize=1024)
def _texts(expression: Any, finite: bool) -> tuple[tuple[Text, ...], ...]:
    """For each step the errors it may meet."""
    dtypes = [*expression.parameters, *[step.dtype for step in expression.steps]]
    found = []
    for step in expression.steps:
        of_real = all(dtypes[i].kind in "biuf" for i in step.operands)
        kinds = kinds_told(step.function) if of_real and step.dtype.kind in "biuf" else _ALL
        kinds -= never_met(expression, step)
        if finite and facts_of(step.function).errors == FAR:
            kinds -= {"invalid"}
        told = [Text(kind, kind, text_of(kind, _said(step.function))) for kind in sorted(kinds)]
        if facts_of(step.function).poles == INVALID:
            told.append(Text(INVALID, DIVIDE, text_of(DIVIDE, step.function)))
        found.append(tuple(told))
    return tuple(found)


def never_met(expression: Any, step: Any) -> frozenset[str]:
    """Kinds of errors that a step never meets, for its dtype or as an operand is a known number.

    A sum with a number below half a unit of the largest overflows nowhere, nor a product with a
    number up to 1.
    """
    if step.dtype.kind in "iu" and step.function in INTEGER_DIVISIONS:
        return frozenset({"invalid", "under"} | ({"over"} if step.dtype.kind == "u" else set()))
    numbers = [constant_of(expression, x) for x in step.operands]
    known = [x for x in numbers if x is not None and np.isfinite(x)]
    if step.dtype.kind != "f" or not known or len(step.operands) != 2:
        return frozenset()
    number, function = abs(float(known[0])), step.function
    largest = np.finfo(step.dtype)
    if function in ("add", "subtract"):
        small = number < float(largest.max) * float(largest.eps) / 4
        return frozenset(("over", "invalid") if small else ("invalid",))
    if function == "multiply" and number:
        return frozenset(("over", "invalid") if number <= 1 else ("invalid",))
    if function in ("divide", "true_divide") and numbers[1] is not None and number:
        return frozenset(("divide", "invalid", *(("over",) if number >= 1 else ())))
    return frozenset()


def constant_of(expression: Any, value: int) -> Any:
    """The number that a value is for all cells, or None."""
    place = value - len(expression.parameters)
    step = expression.steps[place] if place >= 0 else None
    if step is None or step.function != "constant":
        return None
    return expression.constant(step)


def _said(function: str) -> str:
    """The name by which NumPy tells of a function."""
    base = function.partition(".")[0]
    ufunc = getattr(np, base, None)
    return ufunc.__name__ if isinstance(ufunc, np.ufunc) else base


def _with_operands(
    expression: Any, telling: Sequence[bool]
) -> tuple[tuple[bool, ...], tuple[bool, ...]]:
    """The steps that are marked, and all that they read; and whether one of these reads them."""
    first, read = len(expression.parameters), [False] * len(telling)
    for number, step in reversed([*enumerate(expression.steps)]):
        for operand in step.operands if telling[number] or read[number] else ():
            if operand >= first:
                read[operand - first] = True
    computed = [a or b for a, b in zip(telling, read, strict=True)]
    return tuple(computed), tuple(read)


def is_within_domain(function: str, operands: Sequence[Any], wanted: Untold) -> bool:
    """Whether all that `function` meets at these operands is a pole that was told."""
    facts = facts_of(function)
    if facts.domain is None or operands[0].dtype.kind != "f" or "under" in wanted.kinds:
        return False
    x, (low, high) = operands[0], facts.domain
    if (x < low).any() or (np.isfinite(high) and (x > high).any()):
        return False
    meets_poles = facts.poles != NO and DIVIDE in wanted.kinds
    if not meets_poles or text_of(DIVIDE, function) in wanted.heard:
        return True
    return not ((x == low).any() or (np.isfinite(high) and (x == high).any()))
