import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.planner import build
from dask_tapestry.rewrite.driver import rewrite
from dask_tapestry.rules.broadcasts import BROADCAST_RULES
from dask_tapestry.rules.products import PRODUCT_RULES
from dask_tapestry.rules.views import VIEW_RULES
from dask_tapestry.teg import Graph

from .graphs import meaning

RULES = (*PRODUCT_RULES, *VIEW_RULES, *BROADCAST_RULES)
X, W = np.random.default_rng(0).normal(size=(2, 12)).reshape(2, 4, 3)
W = W.T.copy()


def arrays(dtype="f8"):
    return dt.asarray((9 * X).astype(dtype)), dt.asarray((9 * W).astype(dtype))


def rewritten(*values):
    return rewrite(rewrite(Graph([v.node for v in values]), VIEW_RULES), RULES)


def lines(*values):
    return str(rewritten(*values)).splitlines()


def test_the_sum_of_a_product():
    x, w = arrays()
    assert lines((x @ w).sum()) == [
        "%0 = memory() : float64[4, 3]",
        "%1 = reduce(%0, sum, axes=(0,)) : float64[3]",
        "%2 = memory() : float64[3, 4]",
        "%3 = reduce(%2, sum, axes=(1,)) : float64[3]",
        "%4 = elementwise(%1, %3) : float64[3]  # multiply(%1, %3)",
        "%5 = reduce(%4, sum, axes=(0,)) : float64[]",
        "return %5",
    ]


def test_the_sum_along_one_axis():
    x, w = arrays()
    assert lines((x @ w).sum(axis=0))[1:-1] == [
        "%1 = reduce(%0, sum, axes=(0,)) : float64[3]",
        "%2 = view(%1, [0+1*o1]) : float64[1, 3]",
        "%3 = memory() : float64[3, 4]",
        "%4 = matmul(%2, %3) : float64[1, 4]",
        "%5 = view(%4, [0, 0+1*o0]) : float64[4]",
    ]
    assert "matmul(%0, %3) : float64[4, 1]" in "\n".join(lines((x @ w).sum(axis=1)))


def test_the_mean_of_a_product():
    x, w = arrays()
    assert lines((x @ w).mean())[5:-1] == [
        "%5 = reduce(%4, sum, axes=(0,)) : float64[]",
        "%6 = elementwise(%5) : float64[]  # divide(%5, 16.0)",
    ]


def test_the_sum_of_a_gram_matrix_reads_its_rows_once():
    x, _ = arrays()
    assert lines((x @ x.T).sum())[1:-1] == [
        "%1 = reduce(%0, sum, axes=(0,)) : float64[3]",
        "%2 = elementwise(%1) : float64[3]  # multiply(%1, %1)",
        "%3 = reduce(%2, sum, axes=(0,)) : float64[]",
    ]


def test_the_diagonal_and_the_trace():
    x, w = arrays()
    assert lines(dt.diagonal(x @ w))[2:-1] == [
        "%2 = view(%1, [0+1*o1, 0+1*o0]) : float64[4, 3]",
        "%3 = elementwise(%0, %2) : float64[4, 3]  # multiply(%0, %2)",
        "%4 = reduce(%3, sum, axes=(1,)) : float64[4]",
    ]
    assert not any("matmul" in line for line in lines(dt.trace(x @ w)))


PRODUCTS = [
    lambda x, w: (x @ w).sum(),
    lambda x, w: (x @ w).sum(axis=0),
    lambda x, w: (x @ w).sum(axis=1, keepdims=True),
    lambda x, w: (x @ w).mean(),
    lambda x, w: (x @ w).mean(axis=0),
    lambda x, w: (x @ x.T).sum(),
    lambda x, w: (x @ x.T).sum(axis=1),
    lambda x, w: np.trace(x @ w),
    lambda x, w: np.trace(x @ w, 1),
    lambda x, w: np.diagonal(x @ w, -2),
    lambda x, w: (x @ w)[::2, 1:].sum(),
    lambda x, w: (x @ w)[1:].sum(axis=0),
    lambda x, w: (x @ w).T.sum(axis=0),
    lambda x, w: (np.stack([x, x * x, x]) @ w).sum(axis=(0, 1)),
    lambda x, w: (np.stack([x, x * x, x]) @ w).sum(axis=(1, 2)),
    lambda x, w: (np.stack([x, x * x, x]) @ w).sum(axis=0),
    lambda x, w: (np.stack([x, x * x, x]) @ w).sum(),
    lambda x, w: np.diagonal(np.stack([x, x * x, x]) @ w, 0, 1, 2),
    lambda x, w: np.diagonal(np.stack([x, x * x, x]) @ w, 0, 0, 2),
    lambda x, w: (x[:, :0] @ w[:0]).sum(),
    lambda x, w: (x[:0] @ w).sum(axis=0),
    lambda x, w: (x[:1] @ w).sum(),
    lambda x, w: (x @ w[:, 0]).sum(),
]


@pytest.mark.parametrize("f", PRODUCTS, ids=range(len(PRODUCTS)))
@pytest.mark.parametrize("dtype", ["?", "i1", "i4", "i8", "u8", "f2", "f4", "f8", "c8", "c16"])
def test_values(f, dtype):
    x, w = ((9 * a).astype("i8").astype(dtype) for a in (X, W))
    expected = np.asarray(f(x, w))
    made = f(dt.asarray(x), dt.asarray(w))
    for value in (meaning(rewritten(made))[0], made.compute()):
        assert np.shape(value) == expected.shape
        assert np.asarray(value).dtype == expected.dtype
        if expected.dtype.kind in "biu":
            np.testing.assert_array_equal(value, expected)
        else:
            np.testing.assert_allclose(value, expected, rtol=1e-3 if dtype == "f2" else 1e-5)


def test_integers_wrap_alike():
    x = dt.asarray(np.full((50, 40), 2**62 + 3))
    (value,) = meaning(rewritten((x @ x.T).sum()))
    plain = np.full((50, 40), 2**62 + 3)
    assert value == (plain @ plain.T).sum()


@pytest.mark.parametrize("dtype", ["i4", "i1", "f2", "?"])
def test_a_sum_that_is_wider_than_the_product_stays(dtype):
    """Cells of the product wrap, or round, before they are added."""
    x, w = arrays(dtype)
    assert any("matmul" in line for line in lines((x @ w).sum()))
    x, w = arrays("f4")
    assert any("matmul" in line for line in lines((x @ w).sum(dtype="f8")))


def test_a_product_that_is_read_elsewhere_stays():
    x, w = arrays()
    y = x @ w
    for roots in ([y.sum(), y], [y.sum(axis=0), y * 2], [dt.trace(y), y.max()]):
        assert sum("= matmul" in line for line in lines(*roots)) == 1
        assert sum("sum, axes=(1,)" in line for line in lines(*roots)) == 0


def test_two_sums_of_one_product_read_it_twice():
    x, w = arrays()
    y = x @ w
    assert sum("= matmul" in line for line in lines(y.sum(axis=0), y.sum(axis=1))) == 1


def test_nothing_is_gained_of_one_row():
    x, w = arrays()
    assert any("matmul" in line for line in lines((x @ w[:, :1]).sum()))


def test_they_are_on_and_save_the_product():
    x, w = dt.placeholder((10**5, 100), "f8"), dt.placeholder((100, 10**5), "f8")
    plan = build.build_plan([(x @ w).sum().node])
    assert "sum_of_product" in {change.rule for change in plan.rewrites.changes}
    assert plan.cost["seconds"] < 10
