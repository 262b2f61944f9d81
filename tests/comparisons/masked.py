"""Comparisons of masked arrays: filled, so that what is compared are plain cells."""

from __future__ import annotations

from tests.comparisons.table import alike, each

CELLS = each(1, ["i4", "f8"])
PAIRS = each(2, ["f8"], [(), (7,), (3, 4), (3, 0)])
FOLDED = each(1, ["i4"], [(7,), (3, 4), (2, 1, 5)])

COMPARISONS = (
    *[
        alike(
            f"ma.masked_{name}",
            lambda np, x, name=name: np.ma.filled(getattr(np.ma, f"masked_{name}")(x, 1), 7),
            CELLS,
        )
        for name in ("equal", "greater", "less_equal")
    ],
    alike("ma.masked_invalid", lambda np, x: np.ma.filled(np.ma.masked_invalid(x), 7), CELLS),
    alike("ma.fix_invalid", lambda np, x: np.ma.getdata(np.ma.fix_invalid(x)), CELLS),
    alike("ma.getmaskarray", lambda np, x: np.ma.getmaskarray(np.ma.masked_less(x, 0)), CELLS),
    alike(
        "ma.masked_where",
        lambda np, x, y: np.ma.filled(np.ma.masked_where(x > y, x) / y, 7),
        PAIRS,
    ),
    alike("ma.where", lambda np, x, y: np.ma.filled(np.ma.where(x > 0, x, y), 7), PAIRS),
    alike("ma.count", lambda np, x: np.ma.count(np.ma.masked_less(x, 0), axis=0), FOLDED),
    alike(
        "ma.median",
        lambda np, x: np.ma.filled(np.ma.median(np.ma.masked_less(x, -3), axis=0), 7),
        FOLDED,
    ),
    alike(
        "ma.dot",
        lambda np, x: np.ma.filled(np.ma.dot(np.ma.masked_less(x, -3), x), 7),
        each(1, ["i4"], [(7,), (3, 3)]),
    )._replace(one_value=False),
    alike(
        "ma.masked_array",
        lambda np, x: np.ma.filled(np.ma.masked_array(x, x < 0).sum(axis=-1), 7),
        FOLDED,
    ),
    alike(
        "ma.concatenate",
        lambda np, x: np.ma.filled(np.ma.concatenate([np.ma.masked_less(x, 0), x]), 7),
        FOLDED,
    ),
)
