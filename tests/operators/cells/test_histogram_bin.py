import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.errors import DTypeError, ShapeError
from dask_tapestry.operators.cells.histogram_bin import histogram_bin

X = dt.asarray(np.linspace(-1, 2, 24).reshape(4, 6))
EDGES = dt.asarray(np.array([0.0, 0.5, 1.0]))


def bins(x, **options):
    return dt.Array(histogram_bin(x.node, EDGES.node, **options))


@pytest.mark.parametrize("even", [False, True])
def test_numbers_are_those_of_the_reference(even):
    made = bins(X, even=even)
    expected = made.node.operator.reference(X.compute(), EDGES.compute())
    assert made.dtype == expected.dtype == np.uint8
    np.testing.assert_array_equal(made.compute(), expected)


def test_a_part_is_computed_of_a_part():
    part = bins(X)[1:, ::2]
    np.testing.assert_array_equal(part.compute(), bins(X).compute()[1:, ::2])
    assert "bin" in part.plan().explain(all=True)
    assert bins(dt.asarray(0.7)).compute() == 2


def test_its_text_says_how():
    assert bins(X, even=True).node.operator.text() == "even"
    assert bins(X).node.operator.text() == ""


def test_numbers_take_few_bytes():
    many = dt.zeros(70_000).node
    assert histogram_bin(X.node, many).type.dtype == np.uint32


def test_what_has_no_bins_is_refused():
    with pytest.raises(ShapeError, match="vector"):
        histogram_bin(X.node, X.node)
    with pytest.raises(DTypeError):
        histogram_bin(X.node, dt.zeros(3, "M8[s]").node)
    with pytest.raises(DTypeError):
        histogram_bin(dt.asarray(np.array(["a"])).node, dt.asarray(np.array(["b"])).node)
