import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.grouping.group_cells import GroupCells
from dask_tapestry.arrays.grouping.sorted_groups import quantiles, rows_of, running

X = np.random.default_rng(0).normal(size=(5, 3, 8))
CODES = np.array([0, 2, 2, -1, 2, 0, 9, 2])  # of three groups, the second without cells


@pytest.mark.parametrize("skipna", [False, True])
@pytest.mark.parametrize("q", [0.3, [0.0, 0.5]])
def test_quantiles_of_groups_of_several_sizes(skipna, q):
    x = X.copy()
    x[0, 0, 1] = np.nan
    made = quantiles(GroupCells(dt.asarray(x), CODES, (2,), 3, skipna), q)
    function = np.nanquantile if skipna else np.quantile
    for group in (0, 2):
        np.testing.assert_allclose(
            made.compute()[..., group], function(np.compress(group == CODES, x, -1), q, -1)
        )
    assert np.isnan(made.compute()[..., 1]).all()


def test_no_cells_at_all():
    made = quantiles(GroupCells(dt.asarray(X), np.full(8, -1), (2,), 2), 0.5)
    assert made.shape == (5, 3, 2)
    assert np.isnan(made.compute()).all()


@pytest.mark.parametrize("sizes", [[1, 0, 300, 2, 3, 3], [5, 5], [0]])
def test_rows_hold_the_cells_in_their_order_and_no_more_than_twice_as_many(sizes):
    codes = np.random.default_rng(1).permutation(np.repeat(np.arange(len(sizes)), sizes))
    found = rows_of(codes, len(sizes))
    assert sum(rows.places.size for rows in found) <= 2 * codes.size
    own = {}
    for rows in found:
        for group, places, held in zip(*rows, strict=True):
            own[int(group)] = places[held].tolist()
    expected = {g: np.flatnonzero(codes == g).tolist() for g, n in enumerate(sizes) if n}
    assert own == expected


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_running_totals_begin_anew_in_each_group(axis):
    x = np.arange(2.0 * 40 * 3).reshape(2, 40, 3).swapaxes(1, axis)
    codes = np.random.default_rng(2).integers(-1, 3, 40)
    codes[5:30] = 0
    wanted = np.flatnonzero(codes >= 0)[::-1]
    expected = np.zeros_like(x)
    for group in range(3):
        at = (slice(None),) * axis + (codes == group,)
        expected[at] = np.cumsum(x[at], axis)
    found = running(GroupCells(dt.asarray(x), codes, (axis,), 3), dt.cumsum, wanted)
    np.testing.assert_array_equal(found.compute(), expected.take(wanted, axis))
