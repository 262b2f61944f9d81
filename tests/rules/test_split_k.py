import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.rules.split_k import split_k
from dask_tapestry.teg import Graph

from .graphs import meaning

X = np.arange(24.0).reshape(4, 6)
W = np.arange(18.0).reshape(6, 3)


def product(x=X, w=W):
    return dt.matmul(x, w).node


def test_split_k():
    assert str(Graph([split_k(product(), 4)])).splitlines()[2:] == [
        "%2 = matmul(%0, %1, parts of 4) : float64[2, 4, 3]",
        "%3 = reduce(%2, sum, axes=(0,)) : float64[4, 3]",
        "return %3",
    ]


@pytest.mark.parametrize("part", [1, 2, 3, 4, 5])
def test_the_value_stays(part):
    (value,) = meaning(Graph([split_k(product(), part)]))
    assert np.array_equal(value, X @ W)  # of integers: exact


@pytest.mark.parametrize("part", [0, 6, 7, -1])
def test_a_product_that_is_not_cut_stays(part):
    assert split_k(product(), part) is None


def test_a_partial_product_is_not_split_again():
    partial = split_k(product(), 4).inputs[0]
    assert split_k(partial, 2) is None


def test_booleans_are_added_as_booleans():
    x, w = np.eye(4, dtype=bool), np.ones((4, 3), bool)
    split = split_k(product(x, w), 2)
    assert split.type == product(x, w).type
    assert np.array_equal(meaning(Graph([split]))[0], x @ w)
