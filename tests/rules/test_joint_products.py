"""Products of one factor as parts of one product."""

import numpy as np
import pytest
import zarr
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.planner.rewriting.rule_choices import with_forms
from dask_tapestry.planner.rewriting.shared_passes import ONE_PRODUCT, offered_products
from dask_tapestry.planner.search.rule_selection import AppliedChoice
from dask_tapestry.rules.joint_products import joint_product, products_of_one_factor
from dask_tapestry.teg import Graph
from tests.examples import examples

ROWS, COLUMNS = 400, 5


def long(n=COLUMNS, seed=0):
    """A long matrix that is stored."""
    cells = np.random.default_rng(seed).standard_normal((ROWS, n))
    return dt.from_zarr(zarr.array(cells, chunks=(70, n))), cells


def groups(*ys):
    return products_of_one_factor(Graph([y.node for y in ys]))


def joint(*ys):
    """The values as parts of joint products, and the names of operators that compute them."""
    graph = Graph([y.node for y in ys])
    offered = offered_products(graph)
    formed = with_forms(graph, {n: [AppliedChoice(ONE_PRODUCT, k)] for n, k in offered.items()})
    values = dt.plan(*map(dt.Array, formed.roots), method="none").compute()
    return values, [node.operator.name for node in formed.nodes]


PAIRS = {
    "a left factor": lambda x, w: (x.T @ w, x.T @ (x * 2)),
    "a right one": lambda x, w: (w.T @ x, (x * 2).T @ x),
    "left and right": lambda x, w: (x.T @ w, w.T @ x, (w * 3).T @ x),
    "normal equations": lambda x, w: (x.T @ x, x.T @ w[:, :1]),
    "weighted ones": lambda x, w: ((x * w[:, :1]).T @ x, x.T @ w),
    "a wide factor": lambda x, w: (x.T @ w, x.T @ (w - 1)),
    "of one column": lambda x, w: (x.T @ w[:, :1], x.T @ w[:, 1:2], x.T @ w[:, 2:]),
}


@pytest.mark.parametrize("products", PAIRS.values(), ids=PAIRS)
def test_parts_of_a_joint_product_are_the_products(products):
    (x, x_cells), (w, w_cells) = long(), long(4, 1)
    ys = products(x, w)
    (group,) = groups(*ys)
    assert set(group) == {y.node for y in ys}
    values, names = joint(*ys)
    assert names.count("matmul") == 1
    for y, value, expected in zip(ys, values, products(x_cells, w_cells), strict=True):
        assert value.shape == y.shape
        assert value.dtype == y.dtype
        np.testing.assert_allclose(value, expected, rtol=1e-12, atol=1e-12)


@examples(20)
@given(
    st.lists(st.tuples(st.sampled_from("lr"), st.integers(1, 6)), min_size=2, max_size=5),
    st.booleans(),
    st.sampled_from(["f8", "f4", "c16", "i8"]),
)
def test_any_products_of_one_factor(kinds, turned, dtype):
    random = np.random.default_rng(len(kinds))
    cells = random.integers(-9, 9, (ROWS, 3)).astype(dtype)
    x = dt.from_zarr(zarr.array(cells, chunks=(90, 3)))
    x, known = (dt.sqrt(x * x) * 2, np.sqrt(cells * cells) * 2) if turned else (x + 1, cells + 1)
    ys, expected = [], []
    for side, n in kinds:
        other = random.integers(-9, 9, (ROWS, n)).astype(dtype)
        left = side == "l"
        ys.append(x.T @ other if left else dt.asarray(other.T) @ x)
        expected.append(known.T @ other if left else other.T @ known)
    values, names = joint(*ys)
    assert names.count("matmul") < len(ys)
    for value, own in zip(values, expected, strict=True):
        np.testing.assert_allclose(value, own, rtol=1e-5 if dtype == "f4" else 1e-12, atol=1e-6)


def test_names_of_dimensions_stay():
    x, w = long()[0].rename("row", "column"), long(4, 1)[0].rename("row", "other")
    ys = x.T @ w, x.T @ (2 * x).rename("row", "again"), w.T @ x
    for y, root in zip(ys, _formed(*ys).roots, strict=True):
        assert root.type == y.node.type


def _formed(*ys):
    graph = Graph([y.node for y in ys])
    taken = {n: [AppliedChoice(ONE_PRODUCT, k)] for n, k in offered_products(graph).items()}
    return with_forms(graph, taken)


def test_what_shares_no_long_factor_stays_apart():
    (x, _), (w, _) = long(), long(4, 1)
    small = dt.asarray(np.ones((COLUMNS, 3)))
    memory = dt.asarray(np.ones((ROWS, 3)))
    assert groups(x.T @ w) == (), "there is one"
    assert groups(x @ small, x @ (small + 1)) == (), "rows are not folded"
    assert groups(x.T @ memory, w.T @ memory) == (), "what they share is in memory"
    first = x.T @ w
    assert groups(first, x.T @ (x @ first)) == (), "one needs the other"
    assert joint_product((first.node, (small.T @ small).node)) is None


def test_products_that_need_others_are_parts_of_a_later_one():
    (x, cells), (w, known) = long(), long(4, 1)
    one, two = x.T @ w, x.T @ (w + 1)
    scaled = x @ (one + two)
    ys = x.T @ scaled, x.T @ (scaled * scaled)
    assert len(groups(*ys)) == 2
    values, names = joint(*ys)
    assert names.count("matmul") == 3
    product = cells @ (cells.T @ known + cells.T @ (known + 1))
    np.testing.assert_allclose(values[0], cells.T @ product, rtol=1e-10)
    np.testing.assert_allclose(values[1], cells.T @ product**2, rtol=1e-10)


FEW = dt.Resources(workers=8, threads=2, memory="4 GiB")


def test_a_step_of_logistic_regression_reads_its_data_once():
    x = dt.placeholder((10**9, 20), "f8", (10**6, 20))
    y = dt.placeholder((10**9,), "f8", (10**6,))
    b = dt.ones(20) / 7
    p = 1 / (1 + dt.exp(-(x @ b)))
    plan = dt.plan((x * (p * (1 - p))[:, None]).T @ x, x.T @ (y - p), resources=FEW)
    assert plan.cost["bytes_read"] < 1.4 * (x.nbytes + y.nbytes)


def test_a_symmetric_product_that_is_held_is_computed_by_half():
    x = dt.placeholder((200_000, 20_000), "f8", (2000, 20_000))
    y = dt.placeholder((200_000,), "f8", (2000,))
    plan = dt.plan(x.T @ x, x.T @ y, resources=dt.Resources(workers=64, threads=4, memory="64 GiB"))
    assert [n.operator.name for n in plan.core.graph.nodes].count("concat") == 0
