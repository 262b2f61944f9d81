"""A value that is held again has its cells, names and line."""

import numpy as np

import dask_tapestry as dt
from dask_tapestry.operators.views.rename import rename
from dask_tapestry.rules.held_again import held_again


def test_it_has_the_cells_the_names_and_the_line_of_the_value():
    named = rename((dt.asarray(np.arange(12.0).reshape(3, 4)) + 1).node, ("row", None))
    again = held_again(named)
    assert again is not named
    assert again.type == named.type
    assert again.line == named.line
    np.testing.assert_array_equal(dt.Array(again), np.arange(1.0, 13).reshape(3, 4))
