"""Comparisons of joining and splitting, and of cells inserted and deleted."""

from __future__ import annotations

import numpy as np

from tests.comparisons.selectors import CUBE, selector
from tests.comparisons.table import Comparison, alike, each, mixed

MASK = np.array([True, False, False, True])
LINES = ((5,), (1,), (0,))
RANKS = ((), (3,), (2, 3), (2, 1, 3))
TABLE = ((4, 6), (6, 0))
PAIRS = ("i1 f4 f4", "? i8 c8", "M8[s] M8[ms] M8[s]")


def promoted(name, call) -> Comparison:
    """A join of arrays of several dtypes and one shape."""

    def inputs():
        for given in mixed(3, PAIRS)():
            yield tuple(x.reshape(-1)[:1] for x in given)

    return alike(name, call, inputs)


JOINING = (
    selector("stack", lambda np, *xs: np.stack(xs), (*CUBE, ()), 3),
    selector("stack last", lambda np, *xs: np.stack(xs, -1), (*CUBE, ()), 2),
    promoted("stack promoted", lambda np, *xs: np.stack(xs, 1)),
    selector("hstack", lambda np, *xs: np.hstack(xs), (*CUBE, *LINES, ()), 2),
    selector("vstack", lambda np, *xs: np.vstack(xs), (*CUBE, *LINES, ()), 2),
    selector("dstack", lambda np, *xs: np.dstack(xs), (*CUBE, *LINES, (), (2, 3)), 2),
    selector("column_stack", lambda np, x: np.column_stack([x, x]), ((3,), (2, 2), (0,), ())),
    selector("column_stack both", lambda np, x: np.column_stack([x, x[0]]), ((2, 2), (3, 3))),
    selector("append", lambda np, *xs: np.append(*xs), (*CUBE, ()), 2),
    selector("append axis", lambda np, *xs: np.append(*xs, axis=1), CUBE, 2),
    selector("block", lambda np, *xs: np.block([[xs[0], xs[1]], [xs[1], xs[0]]]), RANKS, 2),
    selector("block ranks", lambda np, x: np.block([[[x], [x]], [[x], [x]]]), RANKS),
    alike(
        "block mixed",
        lambda np, x: np.block([[x, x[:, :1]], [x[:1], 1]]),
        each(1, ["f4"], ((1, 3),)),
    ),
    selector("block alone", lambda np, x: np.block(x), RANKS),
    Comparison(
        "interleave",
        lambda dt, *xs: dt.interleave(xs, 1),
        lambda *xs: np.stack(xs, 2).reshape(2, -1, 4),
        selector("", lambda np: None, ((2, 3, 4),), 3).inputs,
    ),
    *[
        selector(f"atleast_{n}d", lambda np, x, n=n: getattr(np, f"atleast_{n}d")(x), RANKS)
        for n in (1, 2, 3)
    ],
    selector("atleast_2d several", lambda np, *xs: np.atleast_2d(*xs), RANKS, 2),
)
SPLITTING = (
    selector("unstack", lambda np, x: np.unstack(x, axis=1), CUBE),
    selector("array_split", lambda np, x: tuple(np.array_split(x, 4)), (*CUBE, *LINES)),
    selector("array_split places", lambda np, x: tuple(np.array_split(x, [1, -1, 9])), LINES),
    selector("split", lambda np, x: tuple(np.split(x, 2, -1)), TABLE),
    selector("split places", lambda np, x: tuple(np.split(x, [3, 1, 5], 0)), TABLE),
    selector("hsplit", lambda np, x: tuple(np.hsplit(x, 2)), (*TABLE, (4,))),
    selector("vsplit", lambda np, x: tuple(np.vsplit(x, 2)), TABLE),
    selector("dsplit", lambda np, x: tuple(np.dsplit(x, [1, 2])), CUBE),
)
EDITING = (
    selector("insert", lambda np, x: np.insert(x, 1, x[0], 0), ((2, 3), (1, 3), (3, 0))),
    selector("insert flat", lambda np, x: np.insert(x, [2, 0, 2], x.ravel()[:3]), ((2, 3), (4,))),
    selector("insert last", lambda np, x: np.insert(x, -1, x[:, 0], 1), ((2, 3),)),
    selector("insert one", lambda np, x: np.insert(x, [1], x, axis=1), ((2, 3), (3, 1))),
    selector("insert slice", lambda np, x: np.insert(x, slice(3, 0, -2), x[:2], 0), ((4, 2),)),
    selector("insert mask", lambda np, x: np.insert(x, MASK, x[:2]), ((4,),)),
    selector("insert nothing", lambda np, x: np.insert(x, [], x[:0]), ((4,), (0,))),
    selector("delete", lambda np, x: np.delete(x, 1), ((2, 3), (4,))),
    selector("delete axis", lambda np, x: np.delete(x, -1, 1), ((2, 3), (4, 1))),
    selector("delete places", lambda np, x: np.delete(x, [3, 0, 3], 0), ((4, 2), (7,))),
    selector("delete slice", lambda np, x: np.delete(x, slice(1, 9, 3), 0), ((9, 2), (2, 1), (8,))),
    selector("delete back", lambda np, x: np.delete(x, slice(None, None, -2), 0), ((5, 2), (6,))),
    selector("delete run", lambda np, x: np.delete(x, slice(1, 3), 0), ((5, 2), (1,))),
    selector("delete nothing", lambda np, x: np.delete(x, [], 0), ((5, 2), (1,))),
    selector("delete mask", lambda np, x: np.delete(x, MASK), ((4,), (2, 2))),
)
COMPARISONS = (*JOINING, *SPLITTING, *EDITING)
