"""Comparisons of closeness, kinds of numbers, and formulas of ufuncs."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.comparisons.table import NUMBERS, Comparison, alike, each, mild, mixed

SHAPES = ((3, 4), (5,), (2, 1))
REAL = [d for d in NUMBERS if d[0] != "c"]
MIXED = mixed(2, ("i1 f4", "u8 i8", "f2 f8", "f4 c8"))


def _missing(x: Any) -> Any:
    return np.isnan(x) if x.dtype.kind in "fcmM" else np.zeros(x.shape, bool)


def _pushed(x: Any) -> Any:
    """Each missing cell, or the one before it along the last axis."""
    before = np.concatenate([x[..., :1], x[..., :-1]], axis=-1)
    return np.where(_missing(x), before, x)


COMPARISONS = (
    alike("isclose", lambda np, x, y: np.isclose(x, y), each(2, NUMBERS)),
    alike("isclose mixed", lambda np, x, y: np.isclose(x, y, 0.5, 1, equal_nan=True), MIXED),
    alike("allclose", lambda np, x, y: np.asarray(np.allclose(x, y)), each(2, ["f8", "i1"])),
    alike("array_equal", lambda np, x: np.asarray(np.array_equal(x, x, True)), each(1, NUMBERS)),
    alike("array_equiv", lambda np, x, y: np.asarray(np.array_equiv(x, y)), MIXED),
    *[
        alike(name, lambda np, x, name=name: getattr(np, name)(x), each(1, ["?", *NUMBERS]))
        for name in ("iscomplex", "isreal", "nan_to_num")
    ],
    *[
        alike(name, lambda np, x, name=name: getattr(np, name)(x), each(1, ["?", *REAL]))
        for name in ("isposinf", "isneginf", "fix")
    ],
    Comparison("isnull", lambda dt, x: dt.isnull(x), _missing, each(1, ["?", *NUMBERS, "M8[s]"])),
    Comparison("notnull", lambda dt, x: dt.notnull(x), lambda x: ~_missing(x), each(1, NUMBERS)),
    Comparison("angle", lambda dt, x: dt.angle(x), np.angle, each(1, NUMBERS, make=mild), 2),
    Comparison("sinc", lambda dt, x: dt.sinc(x), np.sinc, each(1, ["f4", "f8", "i1"]), None),
    Comparison("i0", lambda dt, x: dt.i0(x), np.i0, each(1, ["f4", "f8", "i1"], make=mild), None),
    Comparison("push", lambda dt, x: dt.push(x, 1, -1), _pushed, each(1, ["f4", "f8"], SHAPES)),
)
