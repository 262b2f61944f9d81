"""Comparisons of cells repeated and moved, and of diagonals."""

from __future__ import annotations

import numpy

from tests.comparisons.selectors import CUBE, selector
from tests.comparisons.table import Comparison, each

SQUARES = ((4, 4), (3, 5), (5, 2), (0, 3))
BATCHES = ((2, 4, 3), (1, 3, 3), (2, 0, 3))

REPEATING = (
    selector("repeat", lambda np, x: np.repeat(x, 3), (*CUBE, ())),
    selector("repeat axis", lambda np, x: np.repeat(x, 2, -2), CUBE),
    selector("repeat none", lambda np, x: np.repeat(x, 0, 0), CUBE),
    selector("repeat counts", lambda np, x: np.repeat(x, [0, 3, 1, 1], 0), ((4, 2), (4,))),
    selector("repeat counts none", lambda np, x: np.repeat(x, numpy.zeros(0, int), 0), ((0, 2),)),
    selector("tile", lambda np, x: np.tile(x, 3), (*CUBE, (), (4,))),
    selector("tile axes", lambda np, x: np.tile(x, (2, 1, 3)), (*CUBE, (4,))),
    selector("tile ranks", lambda np, x: np.tile(x, (2, 1, 1, 3)), CUBE),
    selector("tile none", lambda np, x: np.tile(x, (2, 0)), CUBE),
    selector("resize", lambda np, x: np.resize(x, (3, 5)), (*CUBE, (4,), (20,))),
    selector("resize nothing", lambda np, x: np.resize(x, (0, 2)), ((3,), (0,))),
)
MOVING = (
    selector("roll", lambda np, x: np.roll(x, 5), (*CUBE, ())),
    selector("roll axis", lambda np, x: np.roll(x, -1, 1), CUBE),
    selector("roll axes", lambda np, x: np.roll(x, (1, -2), (0, -1)), CUBE),
    selector("roll one shift", lambda np, x: np.roll(x, 1, (0, 0, 2)), CUBE),
    *[selector(f"rot90 {k}", lambda np, x, k=k: np.rot90(x, k), CUBE) for k in (0, 1, 2, 3)],
    selector("rot90 axes", lambda np, x: np.rot90(x, -1, (2, 0)), CUBE),
    selector("fliplr", lambda np, x: np.fliplr(x), CUBE),
    selector("flipud", lambda np, x: np.flipud(x), (*CUBE, (3,))),
    selector("rollaxis", lambda np, x: np.rollaxis(x, 2), CUBE),
    selector("rollaxis start", lambda np, x: np.rollaxis(x, 0, 3), CUBE),
    selector("matrix_transpose", lambda np, x: np.matrix_transpose(x), (*CUBE, (2, 3))),
)
DIAGONALS = (
    selector("diagonal", lambda np, x: np.diagonal(x), SQUARES),
    selector("diagonal above", lambda np, x: np.diagonal(x, 2), SQUARES),
    selector("diagonal below", lambda np, x: np.diagonal(x, -1), SQUARES),
    selector("diagonal axes", lambda np, x: np.diagonal(x, 1, 2, 0), BATCHES),
    selector("diagonal outside", lambda np, x: np.diagonal(x, 9), SQUARES),
    selector("diagonal sliced", lambda np, x: np.diagonal(x.T, 1)[::-2], SQUARES),
    selector("diag", lambda np, x: np.diag(x), (*SQUARES, (3,), (0,))),
    selector("diag above", lambda np, x: np.diag(x, 2), (*SQUARES, (3,))),
    selector("diag below", lambda np, x: np.diag(x, -1), (*SQUARES, (3,))),
    selector("diagflat", lambda np, x: np.diagflat(x, 1), ((2, 2), (), (3,))),
    *[
        selector(f"tril {k}", lambda np, x, k=k: np.tril(x, k), (*SQUARES, *BATCHES))
        for k in (0, 1)
    ],
    *[
        selector(f"triu {k}", lambda np, x, k=k: np.triu(x, k), (*SQUARES, *BATCHES))
        for k in (0, -2)
    ],
    selector("tril row", lambda np, x: np.tril(x), ((3,),)),
    selector("tril_indices_from", lambda np, x: np.tril_indices_from(x, 1), SQUARES),
    selector("triu_indices_from", lambda np, x: np.triu_indices_from(x, 1), SQUARES),
)
COARSENED = (
    Comparison(
        "coarsen",
        lambda dt, x: dt.coarsen(dt.max, x, {0: 2}, trim_excess=True),
        lambda x: x[: len(x) // 2 * 2].reshape(-1, 2, *x.shape[1:]).max(1),
        each(1, ["i1", "f4", "?"], ((4, 3), (5, 1), (2, 2, 3))),
    ),
)
COMPARISONS = (*REPEATING, *MOVING, *DIAGONALS, *COARSENED)
