"""Every operator of its reference's meaning, in blocks of every size and on regions of it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.operators.products.linear import linear
from dask_tapestry.operators.reductions.reduce import reduce
from dask_tapestry.teg import Progression, Region
from tests.comparisons import same_bits
from tests.examples import examples

from .blocks import by_blocks, on_region, picked

X = np.arange(60.0).reshape(3, 4, 5)
M, W, B = X[:, :, 0], X[0], np.arange(5.0)
OPERATORS = {
    "arange": (lambda: dt.arange(2, 20, 3), ()),
    "arange of floats": (lambda: dt.arange(0.1, 1.0, 0.1), ()),
    "broadcast": (lambda x: dt.broadcast_to(x, (2, 3, 4, 5)), (X,)),
    "concat": (lambda x: dt.concatenate([x, x[:, :2], x[:, :0]], 1), None),
    "full": (lambda: dt.full((3, 2), 7), ()),
    "matmul": (dt.matmul, (M, W)),
    "permute": (lambda x: dt.permute_dims(x, (2, 0, 1)), (X,)),
    "rename": (lambda x: dt.rename(x, "a", None, "c"), (X,)),
    "reshape": (lambda x: dt.reshape(x, (6, 10)), (X,)),
    "reverse": (lambda x: dt.flip(x, (0, 2)), (X,)),
    "slice": (lambda x: x[::-2, 1:, None, 3], (X,)),
    "squeeze": (dt.squeeze, (X[:, :1],)),
    "unsqueeze": (lambda x: dt.expand_dims(x, (0, 2)), (X,)),
    "rechunk": (lambda x: dt.rechunk(x, 2), (X,)),
    "sum": (lambda x: dt.sum(x, axis=1), (X,)),
    "argmax": (lambda x: dt.Array(reduce(x.node, "argmax", (0, 2))), (X % 7,)),
}


def made(name):
    """A node and its inputs' cells."""
    make, inputs = OPERATORS[name]
    if inputs is None:
        make(dt.asarray(X))
        return make(dt.asarray(X)).node, (X, X[:, :2], X[:, :0])
    return make(*map(dt.asarray, inputs)).node, inputs


each_operator = pytest.mark.parametrize("name", OPERATORS)


@each_operator
@pytest.mark.parametrize("step", [1, 2, 3, 100])
def test_blocks_of_every_size_make_the_reference(name, step):
    node, inputs = made(name)
    assert same_bits(by_blocks(node, inputs, step), node.operator.reference(*inputs))


@examples(15)
@each_operator
@given(st.data())
def test_a_restriction_yields_the_region(name, data):
    node, inputs = made(name)
    parts = []
    for n in node.type.shape:
        start = data.draw(st.integers(0, n - 1))
        step = data.draw(st.integers(1, 3))
        parts.append(
            Progression.of(start, step, data.draw(st.integers(1, len(range(start, n, step)))))
        )
    region = Region(parts)
    if node.operator.restrict(node.input_types, region) is None:
        return
    value, yields = on_region(node, inputs, region)
    assert yields.hull(region) == yields
    assert same_bits(value, picked(node.operator.reference(*inputs), yields))


def test_linear_in_blocks():
    node = linear(*[dt.asarray(x).node for x in (M, W, B)])
    assert np.array_equal(by_blocks(node, (M, W, B), 2), M @ W + B)


def test_a_reduction_restricted_along_kept_axes_is_that_part():
    node = reduce(dt.asarray(X).node, "var", (0, 2))
    value, _ = on_region(node, (X,), Region([Progression(1, 2, 2)]))
    assert same_bits(value, X.var(axis=(0, 2))[1::2])
