import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.cells.assert_condition import assert_condition
from tests.operators.blocks import by_blocks

X = np.arange(12.0).reshape(3, 4)


@pytest.mark.parametrize("step", [1, 2, 9])
def test_cells_are_as_they_are(step):
    node = assert_condition(dt.asarray(X).node, dt.asarray(X[0] < 4).node, "no")
    assert np.array_equal(by_blocks(node, (X, np.broadcast_to(X[0] < 4, X.shape)), step), X)


def test_a_cell_of_which_it_does_not_hold_cannot_be_computed():
    node = dt.asarray(X).node
    cells = dt.Array(assert_condition(node, dt.asarray(X < 8).node, "they are too many"))
    with pytest.raises(ValueError, match="they are too many"):
        cells.compute()
    assert cells[:2].compute().tolist() == X[:2].tolist()
