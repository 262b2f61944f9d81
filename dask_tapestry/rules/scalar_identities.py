"""Identities of scalars: steps of a formula that yield one of their operands, bit for bit.

Each is a function of the formula built so far and its next step that returns the value to use
instead, or None. Identities that change a bit are not here: ``x + 0.0`` turns -0.0 into 0.0, and a
complex ``x * 1`` also multiplies by a zero imaginary part.
"""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import numpy as np

from dask_tapestry.cells import CellBuilder
from dask_tapestry.cells.expression import CellStep
from dask_tapestry.cells.references import unpacked
from dask_tapestry.rules.casts import merge_casts

CellRule = Callable[[CellBuilder, CellStep], int | None]
INTEGERS, FLOATS, BOOL, REAL = "iu", "f", "b", "biuf"


class Neutral(NamedTuple):
    """An operand that changes nothing, for dtypes of these kinds."""

    kinds: str
    value: float
    left: bool = False  # also as the first operand
    negative: bool = False  # whether the zero is -0.0


NEUTRAL: Final = MappingProxyType(
    {
        "add": (Neutral(INTEGERS, 0, left=True), Neutral(FLOATS, 0, left=True, negative=True)),
        "subtract": (Neutral(INTEGERS + FLOATS, 0),),
        "multiply": (Neutral(REAL, 1, left=True),),
        "divide": (Neutral(FLOATS, 1),),
        "floor_divide": (Neutral(INTEGERS, 1),),
        "power": (Neutral(INTEGERS, 1),),
        "left_shift": (Neutral(INTEGERS, 0),),
        "right_shift": (Neutral(INTEGERS, 0),),
        "bitwise_and": (Neutral(INTEGERS, -1, left=True), Neutral(BOOL, 1, left=True)),
        "bitwise_or": (Neutral(INTEGERS + BOOL, 0, left=True),),
        "bitwise_xor": (Neutral(INTEGERS + BOOL, 0, left=True),),
        "logical_and": (Neutral(BOOL, 1, left=True),),
        "logical_or": (Neutral(BOOL, 0, left=True),),
        "logical_xor": (Neutral(BOOL, 0, left=True),),
    }
)
IDEMPOTENT: Final = frozenset(
    "minimum maximum fmin fmax bitwise_and bitwise_or logical_and logical_or".split()
)
INVOLUTIONS: Final = frozenset("negative invert conjugate logical_not".split())
PROJECTIONS: Final = frozenset("absolute floor ceil trunc rint".split())
SAME: Final = MappingProxyType(  # functions that are identities for these kinds
    {"conjugate": REAL, "positive": REAL + "c", "absolute": "bu"}
    | dict.fromkeys(("floor", "ceil", "trunc"), "biu")
)


def constant_of(builder: CellBuilder, value: int) -> Any:
    """The scalar that a value is, or None."""
    place = value - len(builder.parameters)
    if place < 0 or builder.steps[place].function != "constant":
        return None
    step = builder.steps[place]
    return unpacked(step.value or b"", step.dtype)


def drop_neutral(builder: CellBuilder, step: CellStep) -> int | None:
    """``x + 0|x - 0|x * 1|x / 1|x // 1|x ** 1|x << 0|x & -1|x | 0|x ^ 0 -> x``.

    For floats ``x - 0.0``, ``x + -0.0``, ``x * 1`` and ``x / 1``; the others for integers.
    """
    x, w = step.operands
    for place, operand in ((w, x), (x, w)):
        scalar = constant_of(builder, place)
        if scalar is None or builder.dtype(operand) != step.dtype:
            continue
        for neutral in NEUTRAL[step.function]:
            if (place == w or neutral.left) and _is_neutral(scalar, neutral, step):
                return operand
    return None


def _is_neutral(scalar: Any, neutral: Neutral, step: CellStep) -> bool:
    kind = step.dtype.kind
    if kind not in neutral.kinds or scalar.dtype != step.dtype:
        return False
    wanted = np.invert(np.zeros((), step.dtype)) if neutral.value == -1 else neutral.value
    return bool(scalar == wanted) and (
        kind != "f" or bool(scalar) or bool(np.signbit(scalar)) == neutral.negative
    )


def drop_repeated(builder: CellBuilder, step: CellStep) -> int | None:
    """``min|max|and|or(x, x) -> x``."""
    x, w = step.operands
    return x if x == w and builder.dtype(x) == step.dtype else None


def undo_twice(builder: CellBuilder, step: CellStep) -> int | None:
    """``f(f(x)) -> x``, f being negative, invert, conjugate or logical_not of a bool."""
    inner = _inner(builder, step)
    if inner is None or not builder.dtype(inner.operands[0]) == inner.dtype == step.dtype:
        return None
    return inner.operands[0]


def once_is_enough(builder: CellBuilder, step: CellStep) -> int | None:
    """``f(f(x)) -> f(x)``, f being absolute or a rounding."""
    inner = _inner(builder, step)
    return step.operands[0] if inner is not None and inner.dtype == step.dtype else None


def _inner(builder: CellBuilder, step: CellStep) -> CellStep | None:
    """The step that yields the only operand, if its function is the same."""
    place = step.operands[0] - len(builder.parameters)
    if place < 0 or builder.steps[place].function != step.function:
        return None
    return builder.steps[place]


def drop_same(builder: CellBuilder, step: CellStep) -> int | None:
    """``conj(real)|+x|abs(unsigned)|floor(integer) -> x``."""
    (x,) = step.operands
    dtype = builder.dtype(x)
    return x if dtype == step.dtype and dtype.kind in SAME[step.function] else None


def choose_known(builder: CellBuilder, step: CellStep) -> int | None:
    """``where(True, x, y) -> x``, ``where(False, x, y) -> y``, ``where(c, x, x) -> x``."""
    condition, x, y = step.operands
    known = constant_of(builder, condition)
    if known is None and x != y:
        return None
    chosen = x if known is None or bool(known) else y
    return chosen if builder.dtype(chosen) == step.dtype else None


def _by_function() -> dict[str, tuple[CellRule, ...]]:
    groups: tuple[tuple[CellRule, Any], ...] = (
        (drop_neutral, NEUTRAL),
        (drop_repeated, IDEMPOTENT),
        (undo_twice, INVOLUTIONS),
        (once_is_enough, PROJECTIONS),
        (drop_same, SAME),
        (choose_known, ("where",)),
        (merge_casts, ("cast",)),
    )
    names = {name for _, functions in groups for name in functions}
    return {name: tuple(rule for rule, of in groups if name in of) for name in names}


CELL_RULES: Final = MappingProxyType(_by_function())
