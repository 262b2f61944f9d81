"""Folds of leaves that can be compiled: monoids, and dtypes of cells and states."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

DType = np.dtype[Any]

NEAR_CELLS: Final = 4096  # of a leaf; narrow accumulators of integers do not overflow
PLACES: Final = frozenset({"argmin", "argmax", "nanargmin", "nanargmax"})
OF_TIMES: Final = frozenset({"min", "fmax", "any", "all", "xor", "argmin"})  # NaT: the least int64
VALUES: Final = frozenset(
    "sum add mean prod min max fmin fmax any all xor bitwise_and bitwise_or bitwise_xor".split()
)
SPREADS: Final = frozenset({"var", "std", "nanvar", "nanstd"})


def supported(monoid: str, cell: DType, state: DType) -> bool:
    """Whether there is a compiled fold of cells of this dtype to states of this one."""
    if cell.kind in "mM":
        return monoid in OF_TIMES and cell.isnative
    kinds = [cell, *([state[name] for name in state.names] if state.names else [state])]
    if not all(_is_common(dtype) for dtype in kinds):
        return False
    if "nan" in monoid and cell.kind not in "fc":
        return False
    if monoid in VALUES:
        bits = not monoid.startswith("bitwise") or state.kind in "biu"
        return bits and convertible(cell, state)
    if monoid in SPREADS or monoid == "nanmean":
        return convertible(cell, state["sum" if monoid == "nanmean" else "mean"])
    return monoid in PLACES or monoid == "ptp"


def _is_common(dtype: DType) -> bool:
    largest = 16 if dtype.kind == "c" else 8
    return dtype.kind in "biufc" and dtype.itemsize <= largest and dtype.isnative


def convertible(source: DType, target: DType) -> bool:
    """Whether cells become numbers of `target` in one way only, by one instruction."""
    if source == target or target.kind == "b":
        return True
    if target == np.float16 or (target.kind in "iu" and source.kind in "fc"):
        return False
    return source.kind != "c" or target.kind == "c"
