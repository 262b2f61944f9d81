import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.rules.split_scan import split_scan, split_scan_reading_twice
from dask_tapestry.teg import Graph

X = np.random.default_rng(5).normal(size=(4, 700))
BOTH = pytest.mark.parametrize("split", [split_scan, split_scan_reading_twice])


def test_leaves_are_scanned_and_then_added_to():
    assert str(Graph([split_scan(dt.cumsum(dt.asarray(X), axis=1).node)])).splitlines()[1:] == [
        "%1 = leafscan(%0, add, axis=1) : float64[4, 700]",
        "%2 = leafends(%1, axis=1) : float64[4, 5]",
        "%3 = scan(%2, add, axis=1) : float64[4, 5]",
        "%4 = afterleaf(%1, %3, add, axis=1) : float64[4, 700]",
        "return %4",
    ]


def test_or_cells_are_read_twice():
    split = split_scan_reading_twice(dt.cumsum(dt.asarray(X), axis=1).node)
    assert str(Graph([split])).splitlines()[1:] == [
        "%1 = leaftotals(%0, add, axis=1) : float64[4, 6]",
        "%2 = scan(%1, add, axis=1) : float64[4, 6]",
        "%3 = scanafter(%0, %2, add, axis=1) : float64[4, 700]",
        "return %3",
    ]


@BOTH
def test_one_leaf_is_not_split(split):
    whole = split(dt.cumsum(dt.asarray(X), axis=1).node)
    assert split(dt.cumsum(dt.asarray(X), axis=0).node) is None
    assert split(whole.inputs[1]) is None


@BOTH
@pytest.mark.parametrize("dtype", ["f2", "i1", "c16"])
def test_the_type_stays(split, dtype):
    whole = dt.cumsum(dt.asarray(X.astype(dtype)), axis=1).node
    assert split(whole).type == whole.type
