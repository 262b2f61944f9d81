import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.generators.symbol import symbol
from dask_tapestry.operators.threads.fused_threads import (
    ThreadFormula,
    fused,
    is_fused,
    spread,
    written,
)
from dask_tapestry_kernels.cpu import KERNELS

BLOCK = np.arange(24.0).reshape(4, 2, 3)  # of four threads
X = dt.Array(symbol("what a thread reads", "", np.dtype("f8"), (2, 3)))


def values(x, **given):
    """The formula of a body's value."""
    if x.node is X.node:
        return ThreadFormula.of(BLOCK)
    inputs = [values(dt.Array(one)) for one in x.node.inputs]
    return fused(x.node, inputs, 1, KERNELS["view"])


def strided(block, shape, strides):
    return np.lib.stride_tricks.as_strided(block, shape, strides)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (X * 2 + X, BLOCK * 3),
        (X[:, ::-1] - X[1], BLOCK[..., ::-1] - BLOCK[:, 1:]),
        (np.sqrt(X).T, np.sqrt(BLOCK).transpose(0, 2, 1)),
    ],
)
def test_a_body_is_one_formula_of_views(body, expected):
    launches = []

    def kernel(out, *blocks, expression):
        launches.append(expression)
        return KERNELS["map"](out, *blocks, expression=expression)

    places = np.empty(expected.shape)
    written(values(body), places, strided, kernel)
    np.testing.assert_array_equal(places, expected)
    assert len(launches) == 1


def test_a_block_that_is_read_twice_is_one_operand():
    cells = values(X * X + X)
    assert len(cells.blocks) == 1
    assert str(cells.expression) == "add(multiply($0, $0), $0)"


def test_folds_and_scans_are_no_formulas():
    assert is_fused((X + 1).node)
    assert is_fused(X[:, 1].node)
    assert not is_fused(np.cumsum(X, axis=0).node)
    assert not is_fused(X.sum().node)


def test_what_a_kernel_returns_elsewhere_is_copied():
    places = np.zeros((4, 2, 3))
    written(ThreadFormula.of(BLOCK), places, strided, lambda out, x, expression: x + 1)
    np.testing.assert_array_equal(places, BLOCK + 1)
    written(ThreadFormula.of(BLOCK[:0]), places[:0], strided, None)


def test_blocks_are_repeated_for_threads_that_read_the_same():
    assert spread(np.zeros((1, 2, 3)), (4, 2, 3)) == [0, 24, 8]
    assert spread(np.zeros((1, 2)), (1, 2)) == [16, 8]
