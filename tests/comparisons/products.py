"""Comparisons of products."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from tests.comparisons.table import Arrays, Comparison, mild


def products(
    shapes: Sequence[tuple[tuple[int, ...], ...]], kinds: str
) -> Callable[[], Iterator[Arrays]]:
    """Mild factors of the given shapes, in each kind or pair of kinds."""

    def inputs() -> Iterator[Arrays]:
        for kind in kinds.split():
            names = kind.split("*")
            for row in shapes:
                yield tuple(mild(s, names[n % len(names)], n) for n, s in enumerate(row))

    return inputs


MATRICES = (
    ((3, 4), (4, 5)),
    ((4,), (4,)),
    ((4,), (4, 2)),
    ((2, 3, 4), (4,)),
    ((2, 1, 3, 4), (3, 4, 2)),
    ((3, 0), (0, 2)),
    ((0, 3), (3, 2)),
)
LAYERS = (((3, 4), (4, 5), (5,)), ((1, 1), (1, 1), (1,)), ((0, 4), (4, 2), (2,)))
COMPARISONS = (
    Comparison(
        "matmul",
        lambda dt, x, w: dt.matmul(x, w),
        np.matmul,
        products(MATRICES, "f8 f4 f2 c16 i8 u1 ? f2*f4 i8*f4"),
        None,
        one_value=False,
    ),
    Comparison(
        "nn.linear",
        lambda dt, x, w, b: dt.nn.linear(x, w, b),
        lambda x, w, b: x @ w + b,
        products(LAYERS, "f8 f4 f2 c16 i8 f2*f4"),
        None,
        one_value=False,
    ),
)
