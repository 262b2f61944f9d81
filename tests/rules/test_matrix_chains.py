import itertools

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.planner import build
from dask_tapestry.rewrite.driver import rewrite
from dask_tapestry.rules.matrix_chains import order_chain
from dask_tapestry.rules.tuning import MOST_FACTORS
from dask_tapestry.rules.views import VIEW_RULES
from dask_tapestry.teg import Graph

from .graphs import meaning

SIDES = (2, 30, 3, 20, 1)


def matrices(dtype="f8", sides=SIDES):
    random = np.random.default_rng(0)
    cells = [random.integers(-5, 5, shape).astype(dtype) for shape in itertools.pairwise(sides)]
    return cells, [dt.asarray(x) for x in cells]


def rewritten(*arrays):
    return rewrite(rewrite(Graph([x.node for x in arrays]), VIEW_RULES), (*VIEW_RULES, order_chain))


def test_the_cheapest_order():
    _, (a, b, c, d) = matrices()
    assert str(rewritten(a @ b @ c @ d)).splitlines() == [
        "%0 = memory() : float64[2, 30]",
        "%1 = memory() : float64[30, 3]",
        "%2 = memory() : float64[3, 20]",
        "%3 = memory() : float64[20, 1]",
        "%4 = matmul(%2, %3) : float64[3, 1]",
        "%5 = matmul(%1, %4) : float64[30, 1]",
        "%6 = matmul(%0, %5) : float64[2, 1]",
        "return %6",
    ]


def test_the_best_order_stays():
    _, (a, b, c, d) = matrices()
    graph = rewrite((a @ (b @ (c @ d))).teg, VIEW_RULES)
    assert rewritten(a @ (b @ (c @ d))) == graph


def test_a_vector_comes_first():
    x = dt.asarray(np.ones((30, 30)))
    products = [n for n in rewritten(x @ x @ x @ dt.ones(30)) if n.operator.name == "matmul"]
    assert [n.type.shape for n in products] == [(30, 1)] * 3
    products = [n for n in rewritten(dt.ones(30) @ (x @ (x @ x))) if n.operator.name == "matmul"]
    assert [n.type.shape for n in products] == [(1, 30)] * 3


def test_a_product_that_is_read_elsewhere_stays():
    _, (a, b, c, d) = matrices()
    inner = a @ b
    for roots in ([inner @ c @ d, inner], [inner @ c @ d, inner + 1]):
        graph = rewritten(*roots)
        assert (rewrite(inner.teg, VIEW_RULES)).roots[0] in graph.nodes


def test_a_square_is_one_product():
    x, y = dt.asarray(np.ones((9, 2))), dt.asarray(np.ones((2, 9)))
    square = (x @ y) @ (x @ y)
    assert len([n for n in rewritten(square) if n.operator.name == "matmul"]) == 2


@pytest.mark.parametrize("dtype", ["?", "i1", "u4", "i8", "f4", "f8", "c16"])
def test_values(dtype):
    cells, (a, b, c, d) = matrices(dtype)
    (value,) = meaning(rewritten(a @ b @ c @ d))
    expected = cells[0] @ cells[1] @ cells[2] @ cells[3]
    assert value.dtype == expected.dtype
    np.testing.assert_array_equal(value, expected)  # of small integers: exact


def test_mixed_dtypes_are_not_reordered():
    """Small integers wrap before they are widened."""
    a, b = (dt.asarray(np.full((9, 9), 100, "i1")) for _ in range(2))
    c = dt.asarray(np.ones((9, 1), "i8"))
    (value,) = meaning(rewritten(a @ b @ c))
    plain = np.full((9, 9), 100, "i1")
    np.testing.assert_array_equal(value, plain @ plain @ np.ones((9, 1), "i8"))


def test_stacks_of_matrices():
    random = np.random.default_rng(0)
    cells = [random.normal(size=(3, *shape)) for shape in itertools.pairwise(SIDES)]
    a, b, c, d = map(dt.asarray, cells)
    (value,) = meaning(rewritten(a @ b @ c @ d))
    np.testing.assert_allclose(value, cells[0] @ cells[1] @ cells[2] @ cells[3])


def test_a_long_chain_is_looked_at_in_parts():
    x = dt.asarray(np.eye(3))
    y = x
    for _ in range(3 * MOST_FACTORS):
        y = y @ x
    y = y @ dt.ones(3)
    np.testing.assert_array_equal(y.compute(), np.ones(3))


def test_it_is_on():
    _, (a, b, c, d) = matrices()
    plan = build.build_plan([(a @ b @ c @ d).node])
    assert "order_chain" in {change.rule for change in plan.rewrites.changes}
