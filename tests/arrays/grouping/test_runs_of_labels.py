import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.grouping.group_cells import GroupCells
from dask_tapestry.arrays.grouping.runs_of_labels import Runs, runs_of
from tests.arrays.grouping.any_labels import GAPS, KINDS, has_the_folds_of_any_labels

UNEVEN = np.repeat([0, 1, 2, 3], [7, 6, 5, 6])
WITH_GAPS = np.repeat([2, -1, 0, 9, 3], [6, 1, 7, 3, 7])  # no cell in group 1, some in none


@pytest.mark.parametrize(
    ("codes", "count", "starts", "lengths"),
    [
        (UNEVEN, 4, [0, 7, 13, 18], [7, 6, 5, 6]),
        (UNEVEN[::-1].copy(), 4, [17, 11, 6, 0], [7, 6, 5, 6]),
        (np.array([1, 1, 1, -1, 2, 2, 2]), 3, [0, 0, 4], [0, 3, 3]),
        (np.array([-1, 4, 0, 0, 1]), 2, [2, 4], [2, 1]),
    ],
)
def test_each_group_is_a_run(codes, count, starts, lengths):
    found = runs_of(codes, count)
    assert found is not None
    assert (found.starts.tolist(), found.lengths.tolist()) == (starts, lengths)


@pytest.mark.parametrize(
    ("codes", "count"),
    [
        (np.arange(24) % 4, 4),
        (np.r_[UNEVEN, 0], 4),
        (np.repeat([0, 1], [23, 1]), 2),
        (UNEVEN, 9),
        (np.full(24, -1), 4),
        (np.zeros(24, int), 1),
        (np.repeat([0, 1], [1100, 1000]), 2),
        (np.zeros((4, 6), int), 4),
        (np.zeros(0, int), 4),
        (dt.asarray(UNEVEN), 4),
    ],
)
def test_others_are_none(codes, count):
    assert runs_of(codes, count) is None


def test_runs_of_one_length_are_filled_with_nothing():
    assert Runs(np.array([0, 3]), np.array([3, 3])).held is None


@pytest.mark.few(5)  # as unlike as so many can be
@pytest.mark.covering
@pytest.mark.parametrize("x", KINDS)
@pytest.mark.parametrize("skipna", [False, True])
@pytest.mark.parametrize("whole", [(), (0,), (2,), (0, 2)])
@pytest.mark.parametrize("codes", [UNEVEN, UNEVEN[::-1].copy(), WITH_GAPS])
def test_folds_are_those_of_any_labels(x, skipna, whole, codes):
    assert runs_of(codes, 4) is not None
    has_the_folds_of_any_labels(x, codes, 4, skipna, whole)


def test_options_are_kept():
    cells = GroupCells(dt.asarray(GAPS), UNEVEN, (1,), 4, skipna=True)
    found = cells.fold("var", ddof=1)[..., 2]
    np.testing.assert_allclose(found, np.nanvar(GAPS[:, 13:18], axis=1, ddof=1), rtol=1e-5)
    assert cells.fold("sum", dtype=np.dtype("f8")).dtype == "f8"


def test_each_group_reads_its_own_cells_and_no_table_of_all_is_moved():
    days = np.arange("1961-01", "2001-01", dtype="M8[D]")
    month = days.astype("M8[M]").astype(int)
    maps = dt.placeholder((len(days), 721, 1440), "f4", (24, 721, 1440))
    means = GroupCells(maps, month - month[0], (0,), 480, skipna=True).fold("mean")
    machines = dt.Resources(workers=50, threads=4, memory="16 GiB")
    cost = dt.plan(means, resources=machines).cost
    assert cost["bytes_read"] < 1.5 * maps.nbytes
    assert cost["bytes_moved"] < 0.1 * maps.nbytes
    alone = dt.Resources(workers=1, threads=1, memory="16 GiB")
    one = dt.plan(means[..., 100], resources=alone)
    assert one.cost["bytes_read"] <= 3 * 24 * 721 * 1440 * 4
