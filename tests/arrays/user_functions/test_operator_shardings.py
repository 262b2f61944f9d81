"""Shardings of one node."""

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.user_functions import operator_shardings
from dask_tapestry.arrays.user_functions.cell_differences import Closeness
from dask_tapestry.arrays.user_functions.operator_shardings import (
    block_of,
    check_shardings,
    check_whole,
)
from dask_tapestry.errors import ConstraintError
from dask_tapestry.zspace import ZRange

X = np.arange(24.0).reshape(4, 6)


def operator(function, **index):
    index = index or {"row": "parallel", "column": "parallel"}
    make = dt.block_operator(index=index, inputs={"x": "row column"}, outputs={"z": "row column"})
    return make(function)(X).node


def test_a_block_is_computed_of_what_it_demands():
    node = operator(lambda x: x * 2)
    assert block_of(node, [X], ZRange((1, 2), (3, 4))).tolist() == (X * 2)[1:3, 2:4].tolist()


def test_all_dimensions_are_cut_alone_and_together():
    node = operator(lambda x: x + 1)
    tried = check_shardings(node, [X], X + 1, Closeness())
    assert tried.shardings == 2 + 3 + 1  # blocks of 2 and 1 rows, of 3, 2 and 1 columns, and both
    assert tried.same_bits


def test_atomic_dimensions_are_not_cut():
    node = operator(lambda x: np.sort(x), row="parallel", column="atomic")
    assert check_shardings(node, [X], X, Closeness()).shardings == 2


def test_the_dimension_the_box_and_the_cells_are_named():
    node = operator(lambda x: x - x[:, :1])
    text = r"cut along 'column', block \[0:4, 3:6\]: 12 of 12 cells differ, first at \(0, 0\): 0.0"
    with pytest.raises(ConstraintError, match=text):
        check_shardings(node, [X], X - X[:, :1], Closeness())


def test_rounding_is_told_apart_from_bits():
    node = operator(lambda x: x * (1 + 1e-15 * x.shape[0]))
    whole = check_whole(node, [X])
    assert not check_shardings(node, [X], whole, Closeness()).same_bits


def test_a_function_of_chance_is_named():
    node = operator(lambda x: x + np.random.random(x.shape))
    with pytest.raises(ConstraintError, match="calls_are_repeatable"):
        check_whole(node, [X])


def test_a_function_that_fails_for_a_block_is_named():
    def choosy(x):
        if x.shape == (2, 6):
            raise RuntimeError("no two rows")
        return x

    with pytest.raises(ConstraintError, match=r"block \[0:2, 0:6\] raises RuntimeError"):
        check_shardings(operator(choosy), [X], X, Closeness())


def test_many_steps_are_not_all_cut(monkeypatch):
    monkeypatch.setattr(operator_shardings, "MOST_TRIAL_BLOCKS", 4)
    assert check_shardings(operator(lambda x: x), [X], X, Closeness()).shardings == 2 + 2 + 1
