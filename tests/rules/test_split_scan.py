import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.rules.split_scan import split_scan
from dask_tapestry.teg import Graph

X = np.random.default_rng(5).normal(size=(4, 700))


def test_split_scan():
    assert str(Graph([split_scan(dt.cumsum(dt.asarray(X), axis=1).node)])).splitlines()[1:] == [
        "%1 = scantotals(%0, add, axis=1) : float64[4, 6]",
        "%2 = scan(%1, add, axis=1) : float64[4, 6]",
        "%3 = scanafter(%0, %2, add, axis=1) : float64[4, 700]",
        "return %3",
    ]


def test_one_leaf_is_not_split():
    split = split_scan(dt.cumsum(dt.asarray(X), axis=1).node)
    assert split_scan(dt.cumsum(dt.asarray(X), axis=0).node) is None
    assert split_scan(split.inputs[1]) is None


@pytest.mark.parametrize("dtype", ["f2", "i1", "c16"])
def test_the_type_stays(dtype):
    whole = dt.cumsum(dt.asarray(X.astype(dtype)), axis=1).node
    assert split_scan(whole).type == whole.type
