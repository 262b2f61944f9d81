import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.grouping.counted_labels import Counting, counting_of
from dask_tapestry.arrays.grouping.group_cells import GroupCells
from dask_tapestry.operators.reductions.group_fold import group_fold

MONOIDS = ("sum", "prod", "min", "max", "any", "all", "mean", "var", "std")
X = np.random.default_rng(0).normal(size=(3, 24, 5)).astype("f4")
GAPS = np.where(X > 1, np.nan, X)
GAPS[0, ::4] = np.nan


@pytest.mark.parametrize(
    ("codes", "count", "counting"),
    [
        (np.arange(24) % 4, 4, Counting(6, 4, 1, 0)),
        ((np.arange(24) + 3) % 4, 4, Counting(6, 4, 1, 3)),
        (np.arange(24) // 6, 4, Counting(1, 4, 6, 0)),
        (np.arange(24) // 2 % 3, 3, Counting(4, 3, 2, 0)),
        (np.arange(24) // 8 + 1, 4, None),
        (np.arange(24) % 5, 5, None),
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


@pytest.mark.parametrize("x", [X, GAPS, (X * 9).astype("i2"), X > 0, X.astype("f2"), X + 1j])
@pytest.mark.parametrize("skipna", [False, True])
@pytest.mark.parametrize("whole", [(), (0,), (2,), (0, 2)])
def test_folds_are_those_of_any_labels(x, skipna, whole):
    codes = (np.arange(24) // 2 + 1) % 3
    cells = GroupCells(dt.asarray(x), codes, (1,), 3, skipna, whole)
    for monoid in MONOIDS:
        if x.dtype.kind == "c" and monoid in ("min", "max"):
            continue
        made = cells.fold(monoid)
        node = dt.asarray(x).node, dt.asarray(codes).node
        any_labels = dt.Array(
            group_fold(*node, monoid, cells.folded, 3, labelled=(1,), skipna=skipna)
        )
        assert (made.shape, made.dtype) == (any_labels.shape, any_labels.dtype)
        if x.dtype.kind == "c":
            continue
        tolerance = {"f": 2e-3 if x.dtype == "f2" else 1e-5}.get(made.dtype.kind, 0)
        np.testing.assert_allclose(
            made.compute(), any_labels.compute(), rtol=tolerance, atol=tolerance, err_msg=monoid
        )


def test_options_are_kept():
    cells = GroupCells(dt.asarray(X), np.arange(24) % 4, (1,), 4)
    own = X.reshape(3, 6, 4, 5)
    np.testing.assert_allclose(
        cells.fold("var", ddof=1).compute(), np.moveaxis(own.var(1, ddof=1), 1, -1), rtol=1e-5
    )
    assert cells.fold("sum", dtype=np.dtype("f8")).dtype == "f8"


def test_a_plan_cuts_groups_that_lie_apart_and_reads_each_cell_once():
    maps = dt.placeholder((768, 6, 721, 1440), "f4", (1, 6, 721, 1440))
    hours = GroupCells(maps, np.arange(768) % 24, (0,), 24).fold("mean")
    assert "groupfold" not in str(hours.teg)
    plan = dt.plan(hours, resources=dt.Resources(workers=8, threads=4, memory="16 GiB"))
    assert plan.cost["bytes_read"] == maps.nbytes
