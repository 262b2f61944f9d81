import pytest

import dask_tapestry as dt
from dask_tapestry.teg import CELL_BY_CELL
from dask_tapestry.zspace import ZRange

X = dt.ones((4096, 4096))


def turns(x):
    return x.node.operator.turns(x.node.input_types)


@pytest.mark.parametrize("x", [X + 1, X.T, dt.arange(10.0), X[::2], dt.sort(X, axis=0)])
def test_what_is_computed_cell_by_cell_says_so(x):
    assert turns(x) == CELL_BY_CELL


def test_what_must_see_its_whole_block_says_so():
    assert turns(dt.map_blocks(lambda b: b, X)) is None


def test_a_reduction_is_split_at_any_level_of_its_tree():
    sizes = turns(X.sum()).sizes
    assert sizes == tuple(sorted(sizes, reverse=True))
    assert sizes[-1] == 0


def test_products_are_added_up_along_what_they_contract():
    split = turns(X @ X).split(1)
    assert split.then is None
    assert split.sums(ZRange((0, 5), (10, 9))) == ZRange((0, 0, 5), (4096, 10, 9))


def test_what_runs_along_an_axis_is_carried():
    on, axis, dtype = turns(dt.cumsum(X, 1)).carry
    assert (on.runs_along, axis, dtype) == (1, 1, X.dtype)
