"""Comparisons of functions of whole matrices, which LAPACK computes for NumPy too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.comparisons.table import Comparison, alike, each, mild

NUMBERS = ("f8", "f4", "c16", "i4")
SQUARE = ((3, 3), (2, 3, 3), (1, 1), (0, 3, 3))
LONG = ((4, 2), (2, 3, 5), (5, 1))


def definite(shape: tuple[int, ...], dtype: str, seed: object = 0) -> np.ndarray:
    """Return symmetric matrices that are far from singular."""
    x = mild(shape, dtype, seed)
    side = 4 * shape[-1] * np.eye(shape[-1])
    return (x + np.swapaxes(x, -1, -2) + side).astype(dtype)


def descending(shape: tuple[int, ...], dtype: str, seed: object = 0) -> np.ndarray:
    """Return matrices whose rows stay where they are: the largest cells are on the diagonal."""
    return (mild(shape, dtype, seed) + 9 * np.eye(*shape)).astype(dtype)


def row(name: str, call: Callable[..., Any], make: Any, **options: Any) -> Comparison:
    shapes, arity = options.get("shapes", SQUARE), options.get("arity", 1)
    inputs = each(arity, options.get("dtypes", NUMBERS), shapes, make)
    return alike(f"linalg.{name}", call, inputs)._replace(ulp=None)


COMPARISONS = (
    row("inv", lambda np, x: np.linalg.inv(x), definite),
    row("det", lambda np, x: np.linalg.det(x), definite),
    row("slogdet", lambda np, x: np.linalg.slogdet(x)[1], definite),
    row("solve", lambda np, a, b: np.linalg.solve(a, b), definite, arity=2),
    row("cholesky", lambda np, x: np.linalg.cholesky(x), definite, dtypes=NUMBERS[:3]),
    row("eigvalsh", lambda np, x: np.linalg.eigvalsh(x), definite),
    row("eigh", lambda np, x: np.linalg.eigh(x)[0], definite),
    row("svdvals", lambda np, x: np.linalg.svdvals(x), definite),
    row("svd", lambda np, x: np.linalg.svd(x, full_matrices=False)[1], definite),
    row("cond", lambda np, x: np.linalg.cond(x), definite, shapes=SQUARE[:3]),
    row("matrix_power negative", lambda np, x: np.linalg.matrix_power(x, -2), definite)._replace(
        one_value=False
    ),
    row("qr", lambda np, x: np.linalg.qr(x)[1], mild, shapes=LONG, dtypes=("f8", "c16")),
    row("pinv", lambda np, x: np.linalg.pinv(x), mild, shapes=LONG[:1], dtypes=("f8",))._replace(
        one_value=False
    ),
    Comparison(
        "linalg.lu",
        lambda dt, x: dt.linalg.lu(x)[1] @ dt.linalg.lu(x)[2],
        lambda x: x + 0.0,
        each(1, ("f8", "f4", "c16"), ((3, 3), (5, 2), (2, 4)), descending),
        None,
        one_value=False,
    ),
    Comparison(
        "linalg.solve_triangular",
        lambda dt, a, b: dt.linalg.solve_triangular(a, b, lower=True),
        lambda a, b: np.linalg.solve(np.tril(a), b),
        each(2, NUMBERS, ((3, 3), (1, 1)), definite),
        None,
        one_value=False,
    ),
    *[
        Comparison(
            f"linalg.{name}",
            lambda dt, x, name=name: getattr(dt.linalg, name)(x)[1],
            lambda x: np.linalg.qr(x)[1],
            each(1, ("f8", "c16"), ((4, 2), (2, 5), (5, 1)), mild),
            None,
            one_value=False,
        )
        for name in ("tsqr", "sfqr")
    ],
    row("matrix_rank", lambda np, x: np.linalg.matrix_rank(x), definite, dtypes=("f8",)),
)
