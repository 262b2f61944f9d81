import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.generators.symbol import symbol
from dask_tapestry.operators.threads import batched_operators
from dask_tapestry.operators.threads.batched_operators import computed_batch

X = np.random.default_rng(0).normal(size=(3, 2, 4, 5))  # a batch of 3 x 2
TWICE = np.frompyfunc(lambda a: 2 * a, 1, 1)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.exp(x) + 1,
        lambda x: x.T,
        lambda x: x[::-2, 1],
        lambda x: x.sum(axis=0),
        lambda x: x.max(),
        lambda x: TWICE(x),
        lambda x: dt.sort(x, axis=1),
        lambda x: dt.argsort(x, axis=0),
        lambda x: x.cumsum(axis=0),
        lambda x: x.reshape(10, 2),
        lambda x: x.reshape(10, 2)[3:5],
        lambda x: dt.concat([x, 2 * x[:2]]),
        lambda x: dt.median(x, axis=1),  # one after the other
    ],
)
def test_each_of_a_batch_is_as_it_is_alone(function):
    x = dt.Array(symbol("a part", "", np.dtype("f8"), (4, 5)))
    nodes = {x.node: X}
    result = function(x)
    for node in result.teg:
        if node not in nodes:
            nodes[node] = computed_batch(node, [nodes[i] for i in node.inputs], 2)
    made = nodes[result.node]
    for place in np.ndindex(3, 2):
        np.testing.assert_array_equal(made[place], function(dt.asarray(X[place])).compute())


def test_common_operators_are_computed_at_once(monkeypatch):
    monkeypatch.delattr(batched_operators, "_one_by_one")
    x = dt.Array(symbol("a part", "", np.dtype("f8"), (4, 5)))
    for made in (x.reshape(20), dt.concat([x, x], axis=1), dt.stack([x, x])):
        nodes = {x.node: X}
        for node in made.teg:
            nodes.setdefault(node, None)
            if nodes[node] is None:
                nodes[node] = computed_batch(node, [nodes[i] for i in node.inputs], 2)
        assert nodes[made.node].shape == (3, 2, *made.shape)


def test_what_is_the_same_for_all_is_not_repeated():
    x = dt.Array(symbol("a part", "", np.dtype("f8"), (4, 5)))
    w = dt.Array(symbol("a part", "", np.dtype("f8"), (5, 3)))
    ours, theirs = X[:, :1], np.ones((1, 2, 5, 3))
    made = computed_batch((x @ w).node, [ours, theirs], 2)
    np.testing.assert_allclose(made, ours @ theirs, rtol=1e-13)
    assert computed_batch((x + 1).node, [ours], 2).shape == (3, 1, 4, 5)


def test_several_outputs():
    centre = dt.block_operator(
        index={"i": "parallel", "j": "atomic"},
        inputs={"x": "i j"},
        outputs={"centred": "i j", "mean": "i"},
    )(lambda x: (x - x.mean(axis=1, keepdims=True), x.mean(axis=1)))
    x = dt.Array(symbol("a part", "", np.dtype("f8"), (4, 5)))
    centred, _ = centre(x)
    both = computed_batch(centred.node.inputs[0], [X], 2)
    made = computed_batch(centred.node, [both], 2)
    np.testing.assert_allclose(made, X - X.mean(-1, keepdims=True), atol=1e-15)
