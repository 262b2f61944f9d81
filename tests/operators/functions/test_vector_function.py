import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.functions.vector_function import pad_vectors


def halves(vector, widths, axis, options):
    vector[: widths[0]] = vector.sum() / options["by"] + axis


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("chunks", [(1, 1), (2, 3), (4, 5)])
def test_vectors_come_whole(axis, chunks):
    x = np.arange(20.0).reshape(4, 5)
    made = pad_vectors(dt.asarray(x).rechunk(chunks).node, halves, axis, (2, 0), {"by": 2})
    expected = x.copy()
    for vector in np.moveaxis(expected, axis, -1):
        halves(vector, (2, 0), axis, {"by": 2})
    np.testing.assert_array_equal(dt.Array(made).rechunk((2, 2)).compute(), expected)
    np.testing.assert_array_equal(dt.Array(made)[1:3, 1:3].compute(), expected[1:3, 1:3])
    np.testing.assert_array_equal(made.operator.reference(x), expected)


def test_the_same_call_is_the_same_node():
    x = dt.ones((2, 2)).node
    assert pad_vectors(x, halves, 0, (1, 0), {"by": 2}) is pad_vectors(
        x, halves, 0, (1, 0), {"by": 2}
    )
    assert pad_vectors(x, halves, 0, (1, 0), {"by": 2}) is not pad_vectors(
        x, halves, 0, (1, 0), {"by": 3}
    )
