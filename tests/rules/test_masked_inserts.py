"""Steps that write parts of fields, as loops by hand do."""

import warnings

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

import dask_tapestry as dt
from dask_tapestry.cells import CellBuilder
from dask_tapestry.operators.windows.stencil_steps import StencilSteps
from dask_tapestry.rules.extensions import extension_of
from dask_tapestry.rules.masked_inserts import (
    HIDDEN,
    INSIDE,
    as_insertion,
    choice_of,
    chosen_cells,
    constant_of,
    embedded,
    is_quiet,
)
from dask_tapestry.rules.stencil_loops import fuse_stencil_loops
from dask_tapestry.teg import Graph
from tests.examples import examples

RANDOM = np.random.default_rng(0)
X, K = RANDOM.random((9, 12)), RANDOM.random((9, 12))


def heat(u, xp, k):
    v = u.copy()
    around = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2]
    v[1:-1, 1:-1] = u[1:-1, 1:-1] + 0.1 * (around - 4 * u[1:-1, 1:-1])
    return v


def with_edges(u, xp, k):
    v = heat(u, xp, k)
    v[0] = v[1]
    v[-1] = 5
    v[:, 0] = v[:, 1]
    v[:, -1] = v[:, -2]
    return v


def coefficients(u, xp, k):
    v = u.copy()
    v[1:-1, 1:-1] = u[1:-1, 1:-1] + k[1:-1, 1:-1] * (u[2:, 1:-1] - u[1:-1, :-2])
    return v


def rolled(u, xp, k):
    v = u.copy()
    v[1:-1] = u[1:-1] + 0.1 * (xp.roll(u, 1, 1)[2:] - u[:-2])
    return v


def row_of_data(u, xp, k):
    v = u + 0.1 * xp.roll(u, 1, 0)
    v[0, :], v[-1, :] = 0, k[0]
    return v


def in_the_middle(u, xp, k):
    v = u.copy()
    v[2:5, 3:9] = v[2:5, 3:9] + 0.5 * u[3:6, 2:8]
    return v


def added(u, xp, k):
    v = u.copy()
    v[1:-1, 1:-1] += (u[2:, 1:-1] - u[:-2, 1:-1]) / 8
    return v


def framed(u, xp, k):
    inner = u[1:-1, 1:-1] + 0.1 * (u[2:, 1:-1] - u[1:-1, 1:-1])
    return xp.pad(inner, 1, constant_values=2.0)


STEPS = [heat, with_edges, coefficients, rolled, row_of_data, in_the_middle, added, framed]


def loop(xp, step, count, x=X):
    u, k = xp.asarray(x), xp.asarray(K)
    for _ in range(count):
        u = step(u, xp, k)
    return u


def fused(array):
    graph = fuse_stencil_loops(Graph([array.node]))
    return sum(n.operator.steps for n in graph.nodes if isinstance(n.operator, StencilSteps))


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("count", [5, 20])
def test_steps_that_write_parts(step, count):
    made = loop(dt, step, count)
    assert fused(made) >= count - 2
    dt.verify(dt.plan(made), made)
    np.testing.assert_array_equal(made.compute(), loop(np, step, count))


@pytest.mark.parametrize("step", [heat, with_edges, framed])
@pytest.mark.parametrize("dtype", ["f4", "i4", "c16", "u1"])
def test_dtypes(step, dtype):
    def cast(u, xp, k):
        return step(u, xp, k).astype(dtype)

    x = (9 * X).astype(dtype)
    np.testing.assert_array_equal(loop(dt, cast, 8, x).compute(), loop(np, cast, 8, x))


def test_blocks_of_any_size(shardings):
    expected = loop(np, with_edges, 12)
    for size in (200, 700):
        with shardings.tiny(size, workers=1, threads=2):
            np.testing.assert_array_equal(loop(dt, with_edges, 12).compute(), expected)


slices = st.tuples(st.integers(0, 4), st.integers(1, 4))


@examples(40)
@given(
    st.lists(
        st.tuples(slices, slices, st.integers(-2, 2), st.integers(-2, 2)), min_size=1, max_size=3
    ),
    st.integers(4, 9),
)
def test_random_parts_have_the_bits_of_numpy(parts, count):
    def step(u, xp, k):
        v = u.copy()
        for (top, high), (left, wide), down, right in parts:
            rows, columns = slice(top, top + high), slice(left, left + wide)
            y, x = min(max(0, top + down), 9 - high), max(0, left + right)
            seen = u[y : y + high, x : x + wide] + k[rows, columns] * v[rows, columns]
            v[rows, columns] = 0.5 * seen
        return v

    np.testing.assert_array_equal(loop(dt, step, count).compute(), loop(np, step, count))


def test_hidden_cells_tell_no_errors():
    zero = X.copy()
    zero[0] = 0

    def step(u, xp, k):
        v = u.copy()
        v[1:-1, 1:-1] = 0.5 / u[1:-1, 1:-1] + u[2:, 1:-1] / 4
        return v

    made = loop(dt, step, 8, zero + X[1])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(made.compute(), loop(np, step, 8, zero + X[1]))
        zero[1:] += 1
        loop(dt, step, 6, zero).compute()


def test_quiet_formulas():
    f8 = np.dtype("f8")
    for build, quiet in {
        lambda b: b.call("add", [0, 1], f8): True,
        lambda b: b.call("divide", [0, b.constant(np.float64(4))], f8): True,
        lambda b: b.call("divide", [0, b.constant(np.float64(0))], f8): False,
        lambda b: b.call("divide", [0, 1], f8): False,
        lambda b: b.call("log", [0], f8): False,
    }.items():
        builder = CellBuilder([f8, f8])
        assert is_quiet(builder.finish(build(builder))) is quiet


def test_a_choice_and_its_mask():
    x = dt.asarray(X)
    x[2:4, :] = 1.0
    made = choice_of(x.node, (1, 0), (INSIDE, INSIDE), X.shape)
    mask = dt.Array(made.mask).compute()
    assert mask[1:3].all()
    assert mask.sum() == 24
    assert (made.offset, made.sides) == ((-1, 0), (HIDDEN, INSIDE))
    assert choice_of(dt.asarray(X).node, (0, 0), (INSIDE, INSIDE), X.shape) is None
    assert str(chosen_cells(np.dtype("f8"))) == "where($0, $1, $2)"
    x[::2] = 0
    assert choice_of(x.node, (0, 0), (INSIDE, INSIDE), X.shape) is None


def test_padding_by_a_constant_is_an_insertion():
    node = dt.pad(dt.asarray(X), [(1, 2), (0, 0)], constant_values=3).node
    made = as_insertion(node, extension_of(node))
    np.testing.assert_array_equal(dt.Array(made).compute(), dt.Array(node).compute())
    edge = dt.pad(dt.asarray(X), [(1, 2), (0, 0)], mode="edge").node
    assert as_insertion(edge, extension_of(edge)) is None


def test_data_where_it_is_hidden_and_where_it_is_not():
    part = dt.asarray(K)[1:-1].node
    made = dt.Array(embedded(part, (-1, 0), (HIDDEN, INSIDE), X.shape)).compute()
    np.testing.assert_array_equal(made[1:-1], K[1:-1])
    assert (made[[0, -1]] == 1).all()
    assert embedded(part, (-1, 0), (INSIDE, INSIDE), X.shape) is None


def test_constants():
    assert constant_of(dt.full((3, 4), 2.5)[1:].node) == 2.5
    assert constant_of(dt.asarray(X).node) is None


def test_a_field_that_becomes_a_constant():
    def step(u, v, xp):
        return u + 0.1 * (xp.roll(u, 1, 0) - u) + v, xp.full(X.shape, 2.5)

    def loop(xp):
        u, v = xp.asarray(X), xp.asarray(K)
        for _ in range(8):
            u, v = step(u, v, xp)
        return u, v

    for made, expected in zip(dt.compute(*loop(dt)), loop(np), strict=True):
        np.testing.assert_array_equal(made, expected)

    def inner(u, v):
        return u[1:-1, 1:-1] + 0.1 * (u[:-2, 1:-1] - u[1:-1, 1:-1]) + v[1:-1, 1:-1], dt.full(
            X.shape, 2.5
        )

    found = dt.stencil.iterate(inner, (X, K), 8, depth=1, boundary="periodic")
    for made, expected in zip(found, loop(np), strict=True):
        np.testing.assert_array_equal(made.compute(), expected)
