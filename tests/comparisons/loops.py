"""Comparisons of loops: a step that is applied several times."""

from __future__ import annotations

import numpy as np

from tests.comparisons.table import Comparison, each

SHAPES = ((6,), (4, 5), (1, 3), (0, 2))
DTYPES = ("?", "i1", "u8", "f4", "f8", "c16")


def neighbours(x: np.ndarray) -> np.ndarray:
    for _ in range(3):
        p = np.pad(x, [(1, 1)] + [(0, 0)] * (x.ndim - 1), mode="symmetric") if len(x) else x
        x = (p[2:] + p[:-2]).astype(x.dtype) if len(x) else x
    return x


COMPARISONS = (
    Comparison(
        "iterate",
        lambda dt, x: dt.iterate(lambda u: (u + u[..., ::-1]).astype(u.dtype), x, 2),
        lambda x: (x + x[..., ::-1] + (x[..., ::-1] + x)).astype(x.dtype),
        each(1, DTYPES, SHAPES),
    ),
    Comparison(
        "stencil.iterate",
        lambda dt, x: dt.stencil.iterate(
            lambda u: (u[2:] + u[:-2]).astype(u.dtype), x, 3, depth={0: 1}, boundary="reflect"
        ),
        neighbours,
        each(1, DTYPES, SHAPES),
    ),
)
