import numpy as np

import dask_tapestry as dt
from dask_tapestry.rules.common_formulas import formula_of_all

X = dt.asarray(np.arange(6.0))


def test_numbers_that_differ_become_parameters():
    common = formula_of_all([(X * 2 + n).node for n in range(3)][1:])
    assert common is None or common.numbers  # a sum of products is one formula once rewritten
    common = formula_of_all([dt.add(X, n).node for n in (1.0, 2.0, 5.0)])
    assert str(common.formula.expression) == "add($0, $1)"
    assert [numbers.tolist() for numbers in common.numbers] == [[1.0, 2.0, 5.0]]


def test_equal_formulas_have_no_numbers():
    nodes = [dt.add(X, 1.0).node, dt.add(X[::-1], 1.0).node]
    common = formula_of_all(nodes)
    assert (common.formula, common.numbers) == (nodes[0].operator, ())


def test_other_formulas_have_nothing_in_common():
    assert formula_of_all([dt.add(X, 1.0).node, dt.multiply(X, 1.0).node]) is None
    assert formula_of_all([dt.add(X, 1.0).node, X.node]) is None
