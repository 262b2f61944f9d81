import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.generators.full import Full
from dask_tapestry.rewrite.driver import rewrite
from dask_tapestry.rules.broadcasts import BROADCAST_RULES
from dask_tapestry.rules.constants import CONSTANT_RULES
from dask_tapestry.rules.formula_identities import FORMULA_RULES
from dask_tapestry.rules.views import VIEW_RULES
from tests.comparisons import same_bits

from .graphs import after, meaning

RULES = (*VIEW_RULES, *CONSTANT_RULES, *FORMULA_RULES, *BROADCAST_RULES)
CELLS = np.array([[3, -1, 0, 7], [2, -5, 8, 1]])
SHAPE = (3, 2, 5, 4)


def spread(dtype):
    """Cells of shape (2, 1, 4), read 15 times each."""
    return dt.broadcast_to(dt.asarray(CELLS.astype(dtype)[:, None]), SHAPE)


def lines(x):
    return after(x, *RULES).splitlines()


def unchanged(x):
    """Check that rules keep the bits of a value."""
    before, now = meaning(x.teg)[0], meaning(rewrite(x.teg, RULES))[0]
    assert same_bits(before, now)


def test_the_greatest_of_copies():
    assert lines(spread("i8").max(axis=(0, 2)))[1:] == [
        "%1 = view(%0, [0+1*o0, 0, 0+1*o1]) : int64[2, 4]",
        "return %1",
    ]
    assert lines(spread("i8").max(axis=(0, 1, 2)))[2:] == [
        "%2 = reduce(%1, max, axes=(0,)) : int64[4]",
        "return %2",
    ]


def test_the_sum_of_copies():
    assert lines(spread("i4").sum(axis=(0, 1, 2)))[2:] == [
        "%2 = reduce(%1, sum, axes=(0,)) : int64[4]",
        "%3 = elementwise(%2) : int64[4]  # multiply(%2, 15)",
        "return %3",
    ]
    assert lines(spread("?").sum(axis=(0, 2)))[2:] == [
        "%2 = elementwise(%1) : int64[2, 4]  # int64(%1)",
        "%3 = elementwise(%2) : int64[2, 4]  # multiply(%2, 15)",
        "return %3",
    ]


@pytest.mark.covering
@pytest.mark.parametrize("dtype", ["?", "i1", "u8", "f4", "f8", "c16"])
@pytest.mark.parametrize("name", ["min", "max", "any", "all", "sum", "mean", "prod"])
@pytest.mark.parametrize("axes", [(0,), (0, 2), (1,), (0, 1), (0, 1, 2, 3), (2, 3), (3,)])
def test_no_bit_changes(name, dtype, axes):
    unchanged(getattr(dt, name)(spread(dtype), axis=axes))


def test_which_zero_is_least_stays_open():
    """The least of two zeros is the one the tree meets: floats are folded as they were written."""
    zeros = dt.broadcast_to(dt.asarray(np.array([0.0, -0.0, -0.0])), (40, 3))
    assert "axes=(0, 1)" in after(zeros.min(), *RULES)
    unchanged(zeros.min())
    assert "reduce" not in after(zeros.min(axis=0), *RULES)


@pytest.mark.parametrize("dtype", ["i1", "u1", "i8", "u8"])
def test_sums_wrap(dtype):
    most = np.iinfo(dtype).max
    x = dt.broadcast_to(dt.full((1, 3), most), (300, 3))
    for kind in (None, dtype):
        y = dt.asarray(np.full((1, 3), most, dtype))
        unchanged(dt.sum(dt.broadcast_to(y, (300, 3)), axis=0, dtype=kind))
        unchanged(dt.sum(x, axis=0, dtype=kind))


def test_one_cell():
    x = dt.asarray(np.array([[-0.0], [2.0]]))
    assert lines(x.max(axis=1))[1:] == ["%1 = view(%0, [0+1*o0, 0]) : float64[2]", "return %1"]
    assert "reduce" in after(x.sum(axis=1), *RULES)  # of -0.0 it is 0.0
    for name in ("max", "any", "sum", "mean"):
        unchanged(getattr(dt, name)(x, axis=1))
    assert "reduce" not in after(dt.asarray([[3], [4]]).sum(axis=1), *RULES)


@pytest.mark.parametrize("kind", ["f8", "c16", "m8[s]"])
def test_folds_that_tell_of_slices_of_nan_stay(kind):
    one = dt.asarray(np.full((3, 1), "NaT" if kind[0] == "m" else np.nan, kind))
    for x in (dt.nanmin(one, axis=1), dt.nanmax(dt.broadcast_to(one, (3, 4)), axis=1)):
        assert "reduce" in after(x, *RULES)
        with pytest.warns(RuntimeWarning, match="All-NaN slice"):
            x.compute()
    assert "reduce" not in after(dt.fmin.reduce(dt.ones((3, 1), int), axis=1), *RULES)


@pytest.mark.covering
@pytest.mark.parametrize("value", [0, 1, 3, -0.0, 2.5, 0.1, np.inf, np.nan, 1e308, 5e-324, 2.0**23])
@pytest.mark.parametrize("dtype", ["?", "i4", "u1", "f2", "f4", "f8", "g", "c8"])
@pytest.mark.parametrize("name", ["sum", "mean", "min", "max", "any", "all"])
def test_constants_keep_their_bits(value, dtype, name):
    with np.errstate(all="ignore"):
        cell = np.asarray(value).astype(dtype)[()]
    for shape in ((3, 1000), (7,), (1,), ()):
        unchanged(getattr(dt, name)(dt.full(shape, cell)))


def test_what_is_exact_is_a_constant():
    def constant(x):
        return isinstance(rewrite(x.teg, RULES).roots[0].operator, Full)

    assert constant(dt.ones(10**9).sum())
    assert constant(dt.full(10**9, 2.5).mean())
    assert not constant(dt.ones(10**9, "f4").sum())
    assert not constant(dt.full(10, 0.1).sum())
    assert constant(dt.full(10, 0.1).max())
