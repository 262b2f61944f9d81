import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.grouping.group_cells import GroupCells
from dask_tapestry.arrays.grouping.reductions import REDUCTIONS


@pytest.mark.parametrize("name", [name for name, one in REDUCTIONS.items() if one.has_identity])
def test_folding_no_cells_gives_what_is_declared(name):
    reduction = REDUCTIONS[name]
    options = {"q": 0.5} if "q" in reduction.options else {}
    cells = GroupCells(dt.asarray(np.ones(3)), np.zeros(3, int), (0,), 2, reduction.skipna)
    empty = reduction.value(cells, **options).compute()[1]
    np.testing.assert_equal(empty, np.nan if reduction.empty is None else reduction.empty)


def test_each_reduction_but_counts_has_one_that_leaves_nan_out():
    plain = {name for name in REDUCTIONS if not name.startswith("nan")}
    assert {name for name in plain if f"nan{name}" not in REDUCTIONS} == {"count", "any", "all"}


NULLS = {"f8": np.nan, "c16": np.nan, "m8[s]": "NaT", "M8[s]": "NaT"}
WITHOUT_MEANING = {("mean", "M8[s]"), ("median", "M8[s]"), ("quantile", "c16")}


@pytest.mark.covering
@pytest.mark.parametrize("name", ["first", "last", "median", "quantile", "mean"])
@pytest.mark.parametrize("dtype", NULLS)
@pytest.mark.parametrize("prefix", ["", "nan"])
def test_missing_cells_of_each_dtype(name, dtype, prefix):
    """A group of missing cells alone, one with some, one without cells."""
    if (name, dtype) in WITHOUT_MEANING - {("median", "M8[s]")}:
        return
    x = np.array([5, 9, 3, 1, 2, 7], "i8").astype(dtype)
    x[[1, 4, 5]] = NULLS[dtype]
    labels, options = np.array([0, 0, 0, 1, 2, 2]), {"q": 0.5} if name == "quantile" else {}
    found, _ = dt.groupby_reduce(
        x, labels, func=prefix + name, expected_groups=[0, 1, 2, 3], **options
    )
    assert found.dtype == x.dtype
    missing = np.isnat if dtype[0] in "mM" else np.isnan
    held = ~missing(x)
    ends = {"first": lambda v: v[0], "last": lambda v: v[-1]}
    of_cells = ends.get(name, lambda v: v[np.argsort(v)].sum() / len(v))
    for group in range(4):
        cells = x[(labels == group) & (held if prefix else True)]
        if not cells.size or (name not in ends and missing(cells).any()):
            expected = np.array(NULLS[dtype], dtype)
        elif dtype == "M8[s]" and name not in ends:
            expected = of_cells(cells.astype("i8")).astype("i8").astype(dtype)
        else:
            expected = np.asarray(of_cells(cells)).astype(dtype)
        np.testing.assert_array_equal(found.compute()[group], expected)


@pytest.mark.parametrize("name", REDUCTIONS)
def test_no_groups_at_all(name):
    options = {"q": [0.2, 0.5]} if "quantile" in name else {}
    found, groups = dt.groupby_reduce(np.ones((3, 2)), [np.nan, np.nan], func=name, **options)
    assert found.compute().shape == ((2, 3, 0) if options else (3, 0))
    assert groups.size == 0
