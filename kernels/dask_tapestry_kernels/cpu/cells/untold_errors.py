"""Steps of a formula that may tell errors nobody has told yet, and what these steps read."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

import numpy as np

from dask_tapestry_kernels.floating_point import KINDS, Untold, text_of
from dask_tapestry_kernels.formulas.function_table import DIVIDE, INVALID, NO, NONE, RANGE, facts_of

_ALL: Final = frozenset(KINDS)


class StepsToTell(NamedTuple):
    """Of each step, whether NumPy has to compute it, and whether another such step reads it."""

    computed: tuple[bool, ...]
    read: tuple[bool, ...]


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
def steps_to_tell(expression: Any, wanted: Untold) -> StepsToTell:
    """The steps that may meet an error which has not been told, and the steps that they read."""
    telling = [
        any(
            shown in wanted.shown and kind in wanted.kinds and text not in wanted.heard
            for shown, kind, text in step
        )
        for step in _texts(expression)
    ]
    return _with_operands(expression, telling)


@lru_cache(maxsize=1024)
def _texts(expression: Any) -> tuple[tuple[tuple[str, str, str], ...], ...]:
    """For each step the errors it may meet: the kind that flags show, NumPy's, and its words."""
    dtypes = [*expression.parameters, *[step.dtype for step in expression.steps]]
    found = []
    for step in expression.steps:
        of_real = all(dtypes[i].kind in "biuf" for i in step.operands)
        kinds = kinds_told(step.function) if of_real and step.dtype.kind in "biuf" else _ALL
        told = [(kind, kind, text_of(kind, _said(step.function))) for kind in sorted(kinds)]
        if facts_of(step.function).poles == INVALID:
            told.append((INVALID, DIVIDE, text_of(DIVIDE, step.function)))
        found.append(tuple(told))
    return tuple(found)


def _said(function: str) -> str:
    """The name by which NumPy tells of a function."""
    base = function.partition(".")[0]
    ufunc = getattr(np, base, None)
    return ufunc.__name__ if isinstance(ufunc, np.ufunc) else base


def _with_operands(expression: Any, telling: Sequence[bool]) -> StepsToTell:
    """The steps that are marked, and all that they read."""
    first, read = len(expression.parameters), [False] * len(telling)
    for number, step in reversed([*enumerate(expression.steps)]):
        for operand in step.operands if telling[number] or read[number] else ():
            if operand >= first:
                read[operand - first] = True
    computed = [a or b for a, b in zip(telling, read, strict=True)]
    return StepsToTell(tuple(computed), tuple(read))


def is_within_domain(function: str, operands: Sequence[Any], wanted: Untold) -> bool:
    """Whether all that `function` meets at these operands is a pole that was told."""
    facts = facts_of(function)
    ends = facts.domain
    if ends is None or operands[0].dtype.kind != "f" or "under" in wanted.kinds:
        return False
    meets_poles = facts.poles != NO and DIVIDE in wanted.kinds
    if meets_poles and text_of(DIVIDE, function) not in wanted.heard:
        return False
    x = operands[0]
    return not ((x < ends[0]).any() or (x > ends[1]).any())
