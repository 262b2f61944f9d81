import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.grouping import counted_labels
from dask_tapestry.arrays.grouping.counted_labels import Counting, counting_of
from dask_tapestry.arrays.grouping.group_cells import GroupCells
from tests.arrays.grouping.any_labels import KINDS, X, has_the_folds_of_any_labels


@pytest.mark.parametrize(
    ("codes", "count", "counting"),
    [
        (np.arange(24) % 4, 4, Counting(6, 4, 1, 0)),
        ((np.arange(24) + 3) % 4, 4, Counting(6, 4, 1, 3)),
        (np.arange(24) // 6, 4, Counting(1, 4, 6, 0)),
        (np.arange(24) // 2 % 3, 3, Counting(4, 3, 2, 0)),
        (np.arange(24) // 8 + 1, 4, None),
        (np.arange(24) % 5, 5, Counting(5, 5, 1, 0, 0, 1)),
        ((np.arange(24) + 1) // 2 % 3, 3, Counting(5, 3, 2, 0, 1, 5)),
        ((np.arange(24) + 3) // 2 % 3, 3, Counting(5, 3, 2, 1, 1, 5)),
        (np.arange(24) % 9, 9, None),
        ((np.arange(24) + 3) // 4 % 3, 3, None),
        (np.r_[0, 0, 0, 1, 1, 0, 0, np.arange(17) // 2 % 2], 2, None),
        (np.r_[0, np.arange(23) % 4], 4, None),
        (np.arange(24) % 4, 6, None),
        (np.full(24, -1), 4, None),
        (np.zeros(24, int), 1, None),
        (np.zeros((4, 6), int), 4, None),
        (np.zeros(0, int), 4, None),
        (dt.arange(24) % 4, 4, None),
    ],
)
def test_labels_count_on_in_runs_of_one_length(codes, count, counting):
    assert counting_of(codes, count) == counting


@pytest.mark.few(5)  # as unlike as so many can be
@pytest.mark.covering
@pytest.mark.parametrize("x", KINDS)
@pytest.mark.parametrize("skipna", [False, True])
@pytest.mark.parametrize("whole", [(), (0,), (2,), (0, 2)])
def test_folds_are_those_of_any_labels(x, skipna, whole):
    codes = (np.arange(24) // 2 + 1) % 3
    has_the_folds_of_any_labels(x, codes, 3, skipna, whole)


@pytest.mark.covering
@pytest.mark.parametrize("x", KINDS)
@pytest.mark.parametrize("skipna", [False, True])
@pytest.mark.parametrize("codes", [np.arange(24) % 5, (np.arange(24) + 3) // 2 % 3], ids=str)
def test_cells_that_are_missing_at_the_ends_change_nothing(x, skipna, codes, monkeypatch):
    monkeypatch.setattr(counted_labels, "MOST_TABLED_BYTES", 0)
    count = int(codes.max()) + 1
    assert counting_of(codes, count).after
    has_the_folds_of_any_labels(x, codes, count, skipna, ())


def test_options_are_kept():
    cells = GroupCells(dt.asarray(X), np.arange(24) % 4, (1,), 4)
    own = X.reshape(3, 6, 4, 5)
    np.testing.assert_allclose(
        cells.fold("var", ddof=1).compute(), np.moveaxis(own.var(1, ddof=1), 1, -1), rtol=1e-5
    )
    assert cells.fold("sum", dtype=np.dtype("f8")).dtype == "f8"


def test_tables_of_small_chunks_are_small():
    maps = dt.placeholder((763, 6, 721, 1440), "f4", (1, 6, 90, 90))
    hours = GroupCells(maps, (np.arange(763) + 5) % 24, (0,), 24)
    assert "groupfold" in str(hours.fold("mean", skipna=True).teg)


def test_days_that_are_cut_off_read_each_cell_once():
    maps = dt.placeholder((763, 6, 721, 1440), "f4", (1, 6, 721, 1440))
    hours = GroupCells(maps, (np.arange(763) + 5) % 24, (0,), 24).fold("mean", skipna=True)
    assert "groupfold" not in str(hours.teg)
    plan = dt.plan(hours, resources=dt.Resources(workers=8, threads=4, memory="16 GiB"))
    assert plan.cost["bytes_read"] == maps.nbytes


def test_a_plan_cuts_groups_that_lie_apart_and_reads_each_cell_once():
    maps = dt.placeholder((768, 6, 721, 1440), "f4", (1, 6, 721, 1440))
    hours = GroupCells(maps, np.arange(768) % 24, (0,), 24).fold("mean")
    assert "groupfold" not in str(hours.teg)
    plan = dt.plan(hours, resources=dt.Resources(workers=8, threads=4, memory="16 GiB"))
    assert plan.cost["bytes_read"] == maps.nbytes
