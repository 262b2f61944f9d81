"""Folds of groups that are an axis, beside those of any labels, and cells of all kinds for them."""

import numpy as np

import dask_tapestry as dt
from dask_tapestry.arrays.grouping.group_cells import GroupCells
from dask_tapestry.operators.reductions.group_fold import group_fold

MONOIDS = ("sum", "prod", "min", "max", "any", "all", "mean", "var", "std")
X = np.random.default_rng(0).normal(size=(3, 24, 5)).astype("f4")
GAPS = np.where(X > 1, np.nan, X)
GAPS[0, ::4] = np.nan
KINDS = [X, GAPS, (X * 9).astype("i2"), X > 0, X.astype("f2"), X + 1j]


def has_the_folds_of_any_labels(x, codes, count, skipna, whole):
    """Fold axis 1 of `x` by known codes in both ways, by each monoid."""
    cells = GroupCells(dt.asarray(x), codes, (1,), count, skipna, whole)
    node = dt.asarray(x).node, dt.asarray(codes).node
    how = {"labelled": (1,), "skipna": skipna}
    for monoid in MONOIDS:
        if x.dtype.kind == "c" and monoid in ("min", "max"):
            continue
        made = cells.fold(monoid)
        any_labels = dt.Array(group_fold(*node, monoid, cells.folded, count, **how))
        assert (made.shape, made.dtype) == (any_labels.shape, any_labels.dtype)
        if x.dtype.kind == "c":
            continue
        tolerance = {"f": 2e-3 if x.dtype == "f2" else 1e-5}.get(made.dtype.kind, 0)
        np.testing.assert_allclose(
            made.compute(), any_labels.compute(), rtol=tolerance, atol=tolerance, err_msg=monoid
        )
