import numpy as np

import dask_tapestry as dt
from dask_tapestry.arrays.grouping.group_cells import GroupCells

X = np.arange(24.0).reshape(2, 3, 4)
CODES = np.array([[0, 1, 1, 0], [-1, 1, 2, 2]])  # of the first and the last axis
CELLS = GroupCells(dt.asarray(X), CODES, (0, 2), 3)


def test_values_are_taken_back_to_the_cells():
    values = dt.asarray(np.arange(9).reshape(3, 3))
    found = CELLS.at_cells(values).compute()
    for i, j, k in np.ndindex(X.shape):
        assert CODES[i, k] < 0 or found[i, j, k] == 3 * j + CODES[i, k]


def test_running_numbers_count_along_the_folded_axes():
    assert CELLS.running_numbers().compute().tolist() == [[[0, 1, 2, 3]], [[4, 5, 6, 7]]]


def test_sizes_are_known_where_codes_are():
    assert CELLS.sizes().tolist() == [2, 3, 2]
    lazy = GroupCells(CELLS.x, dt.asarray(CODES), (0, 2), 3)
    assert lazy.sizes().compute().tolist() == [2, 3, 2]


def test_numbers_are_of_what_is_not_left_out():
    x = X.copy()
    x[0, 1, 1] = np.nan
    cells = GroupCells(dt.asarray(x), CODES, (0, 2), 3, skipna=True)
    assert cells.numbers().compute().tolist() == [[2, 3, 2], [2, 2, 2], [2, 3, 2]]


def test_axes_without_codes_are_folded_as_a_whole():
    cells = GroupCells(CELLS.x, CODES[1], (2,), 3, whole=(0,))
    assert (cells.kept_axes, cells.folded) == ((1,), (0, 2))
    assert cells.sizes().tolist() == [0, 2, 4]
    expected = [[0, *[X[:, j, CODES[1] == g].sum() for g in (1, 2)]] for j in range(3)]
    assert cells.fold("sum").compute().tolist() == expected
    values = dt.asarray(np.arange(9).reshape(3, 3))
    assert cells.at_cells(values).compute().tolist() == [
        [[3 * j + max(0, g) for g in CODES[1]] for j in range(3)]
    ]
    assert cells.running_numbers().compute().tolist() == [[[0, 1, 2, 3]], [[4, 5, 6, 7]]]
