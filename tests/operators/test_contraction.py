import inspect

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.contraction import Contraction
from dask_tapestry.operators.matmul import MatMul
from dask_tapestry.operators.user_monoid import Fold, Monoid, fold
from dask_tapestry.operators.user_operator import UserOperator
from dask_tapestry.rules.split_k import split_k
from dask_tapestry.teg import Graph, Kind
from dask_tapestry.teg.operator import signature_of
from tests.rules.graphs import meaning

X = np.arange(28.0).reshape(4, 7)
W = np.arange(21.0).reshape(7, 3)
SAMPLES = [
    dt.matmul(X, W).node,
    dt.block_operator(
        index={"m": "parallel", "n": "parallel", "k": dt.reduce_over("sum")},
        inputs={"x": "m k", "w": "k n"},
        outputs={"z": "m n"},
    )(np.matmul)(X, W).node,
    fold(dt.asarray(X).node, Monoid(0.0, np.add), 1),
]


def test_every_contraction_is_tried():
    tried = {type(node.operator) for node in SAMPLES}
    assert {MatMul, UserOperator, Fold} == tried
    assert all(inspect.isclass(one) and issubclass(one, Contraction) for one in tried)


@pytest.mark.parametrize("node", SAMPLES)
@pytest.mark.parametrize("part", [1, 2, 3, 6])
def test_parts_combine_to_the_whole(node, part):
    (whole,), (parts,) = meaning(Graph([node])), meaning(Graph([split_k(node, part)]))
    assert np.array_equal(whole, parts)  # of integers: exact


@pytest.mark.parametrize("node", SAMPLES)
def test_what_is_in_parts_has_nothing_more_to_cut(node):
    operator = node.operator
    dim = operator.folded(node.input_types)
    assert signature_of(operator, node.input_types).index[dim].kind is Kind.REDUCTION
    assert operator.in_parts(2).folded(node.input_types) is None


def test_a_vector_product_is_cut_where_slots_would_idle():
    machines = dt.Resources(workers=8, threads=1, memory="4 GiB")
    x, w = dt.placeholder((10**8,), "f8"), dt.placeholder((10**8,), "f8")
    plan = dt.plan(x @ w, resources=machines)
    plan.verify()
    assert plan.cost["tasks"] > 8
