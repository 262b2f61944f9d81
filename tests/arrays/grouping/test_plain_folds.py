import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.grouping.plain_folds import fold_plainly, has_plain_fold

X = np.random.default_rng(0).normal(size=(4, 5)).astype("f4")


@pytest.mark.parametrize("monoid", ["sum", "prod", "min", "max", "mean", "var", "std"])
def test_nan_is_left_out_if_asked(monoid):
    cells = np.where(X > 0.5, np.nan, X).astype("f4")
    found = fold_plainly(dt.asarray(cells), monoid, (1,), skipna=True)
    np.testing.assert_allclose(found, getattr(np, f"nan{monoid}")(cells, 1), rtol=1e-5)
    assert found.dtype == "f4"
    assert np.isnan(fold_plainly(dt.asarray(cells), monoid, (0, 1)).compute())


def test_sums_of_single_precision_are_made_in_double():
    many = dt.asarray(np.full(2**25, 1 / 3, "f4"))
    assert fold_plainly(many, "sum", (0,)).compute() == np.float32(2**25 * float(np.float32(1 / 3)))


@pytest.mark.parametrize(
    ("x", "has"),
    [
        (X, True),
        (X > 0, True),
        (X.astype("i2"), True),
        (X + 1j, False),
        (X[:0], False),
        (np.zeros(3, "m8[s]"), False),
    ],
)
def test_which_cells_have_one(x, has):
    assert has_plain_fold(dt.asarray(x), "sum", False) is has
