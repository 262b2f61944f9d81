import inspect

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.products.matmul import MatMul
from dask_tapestry.operators.reductions.contraction import Contraction
from dask_tapestry.operators.user.user_monoid import Fold, Monoid, fold
from dask_tapestry.operators.user.user_operator import UserOperator
from dask_tapestry.teg import Graph, Kind
from dask_tapestry.teg.operator import signature_of
from tests.operators.in_forms import form_names, formed
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
    (whole,), (parts,) = meaning(Graph([node])), meaning(Graph([formed(node, "parts", part)]))
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


def product(x=X, w=W):
    return dt.matmul(x, w).node


def test_parts_are_products_and_then_added():
    assert str(Graph([formed(product(), "parts", 4)])).splitlines()[2:] == [
        "%2 = matmul(%0, %1, parts of 4) : float64[2, 4, 3]",
        "%3 = reduce(%2, sum, axes=(0,)) : float64[4, 3]",
        "return %3",
    ]


def test_its_form_has_parts_from_a_half_down():
    node = dt.matmul(dt.ones((2, 10**6)), dt.ones((10**6, 2))).node
    (form,) = node.operator.forms(node.input_types)
    assert form.name == "parts"
    assert (form.sizes[:3], form.sizes[-1]) == ((500_000, 250_000, 125_000), 245)


def test_a_product_of_one_term_or_none_has_no_parts():
    assert form_names(product(X[:, :1], W[:1])) == form_names(product(X[:, :0], W[:0])) == ()
    assert form_names(formed(product(), "parts", 2).inputs[0]) == ()


def test_booleans_are_added_as_booleans():
    x, w = np.eye(4, dtype=bool), np.ones((4, 3), bool)
    cut = formed(product(x, w), "parts", 2)
    assert cut.type == product(x, w).type
    assert np.array_equal(meaning(Graph([cut]))[0], x @ w)
