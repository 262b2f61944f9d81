import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.columnsort import most_columns
from dask_tapestry.operators.order_statistics import ranks
from dask_tapestry.operators.sort import argsort, sort
from dask_tapestry.rules.split_sort import split_sort
from dask_tapestry.teg import Graph

from .graphs import meaning

X = np.random.default_rng(5).integers(0, 50, (3, 40, 2))


def test_split_sort():
    x = dt.asarray(np.arange(20.0))
    assert str(Graph([split_sort(sort(x.node, 0), 2)])).splitlines()[1:] == [
        "%1 = sortruns(%0, 2 of 12) : float64[2, 2, 6]",
        "%2 = mergeruns(%1) : float64[2, 2, 6]",
        "%3 = mergeruns(%2, halves) : float64[2, 2, 6]",
        "%4 = slice(%3, [0, 0, 0:6]) : float64[6]",
        "%5 = slice(%3, [0:1, 1, None, 0:6]) : float64[1, 1, 6]",
        "%6 = slice(%3, [1:2, 0, None, 0:6]) : float64[1, 1, 6]",
        "%7 = concat(%5, %6, axis=1) : float64[1, 2, 6]",
        "%8 = reshape(%7, (1, 12)) : float64[1, 12]",
        "%9 = sort(%8, axis=1) : float64[1, 12]",
        "%10 = reshape(%9, (12,)) : float64[12]",
        "%11 = slice(%3, [1, 1, 0:6]) : float64[6]",
        "%12 = concat(%4, %10, %11, axis=0) : float64[24]",
        "%13 = slice(%12, [0:20]) : float64[20]",
        "return %13",
    ]


@pytest.mark.parametrize("columns", [2, 3, 4])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_the_value_stays(columns, axis):
    columns = min(columns, most_columns(X.shape[axis]))
    x = dt.asarray(X).node
    (value,) = meaning(Graph([split_sort(sort(x, axis), columns)]))
    assert np.array_equal(value, np.sort(X, axis))
    place = split_sort(argsort(x, axis), columns)
    assert np.array_equal(dt.Array(place).compute(), np.argsort(X, axis, kind="stable"))
    chosen = split_sort(ranks(x, (0, -1), axis), columns)
    assert np.array_equal(dt.Array(chosen).compute(), np.sort(X, axis).take((0, -1), axis))


def test_what_is_cut_is_not_cut_again():
    whole = sort(dt.asarray(X).node, 1)
    assert split_sort(whole, 0) is None
    assert split_sort(dt.asarray(X).node, 3) is None
    last = next(n for n in Graph([split_sort(whole, 2)]).nodes if n.operator.name == "sort")
    assert split_sort(last, 2) is None
