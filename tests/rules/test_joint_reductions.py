import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.joint_reductions import JointReductions
from dask_tapestry.rules.joint_reductions import MOST, join_reductions
from dask_tapestry.teg import Graph
from tests.comparisons import same_bits

RANDOM = np.random.default_rng(5)
X, Y = RANDOM.normal(size=(2, 90, 70))


def passes(*arrays):
    """How many reductions each pass over cells folds."""
    graph = join_reductions(Graph([a.node for a in arrays]))
    together = [n.operator.parts for n in graph.nodes if isinstance(n.operator, JointReductions)]
    alone = [1 for n in graph.nodes if n.operator.name == "reduce"]
    return sorted([len(parts) for parts in together] + alone)


def test_joint_reduction():
    x = dt.asarray(X)
    graph = join_reductions(Graph([x.mean(axis=0).node, x.var(axis=0).node]))
    assert str(graph).splitlines()[1:] == [
        "%1 = jointreductions(%0) : void128[70]  "
        "# mean of float64(%0), axes=(0,); var of float64(%0), axes=(0,)",
        "%2 = field(%1, f0) : float64[70]",
        "%3 = field(%1, f1) : float64[70]",
        "return %2, %3",
    ]


def test_what_shares_cells_is_joined():
    x, y = dt.asarray(X), dt.asarray(Y)
    assert passes((x**2).mean(0), (y**2).mean(0), (x * y).mean(0)) == [3]
    assert passes(x.sum(), y.sum()) == [1, 1]
    assert passes(x.sum(0), x.sum(1)) == [1, 1]
    assert passes(x.sum(), x[:50].sum()) == [1, 1]
    assert passes(*[(x + i).sum() for i in range(MOST + 2)]) == [2, MOST]


def test_what_needs_another_is_not():
    x = dt.asarray(X)
    centred = x - x.mean()
    assert passes((centred**2).sum(), x.mean()) == [1, 1]
    assert passes((centred**2).sum(), x.max(), centred.min()) == [2, 2]


@pytest.mark.parametrize("axis", [None, 0, 1])
def test_the_values_stay(axis):
    x, y = dt.asarray(X).rechunk((30, 40)), dt.asarray(Y)
    arrays = [x.sum(axis), (x * y).mean(axis), y.std(axis), x.argmax(axis), (x > 0).any(axis)]
    for together, alone in zip(dt.compute(*arrays), arrays, strict=True):
        assert same_bits(together, alone.compute())


def test_a_joint_plan_verifies():
    x = dt.asarray(X)
    dt.plan((x - x.mean(0)) / x.std(0)).verify()
