"""Which results are computed by halves; tests/lower/test_symmetric_tasks.py computes them."""

import dask_tapestry as dt
from dask_tapestry.planner.fusion.group import group_of
from dask_tapestry.steps.symmetric_blocks import is_symmetric, saves_half
from dask_tapestry.zspace import Cuts

X = dt.asarray(dt.ones((40, 6)).compute())
SQUARE = (Cuts.regular(40, 10), Cuts.regular(40, 10))


def program(y):
    return group_of(y.node, {y.node}).program


def test_a_matrix_times_its_transpose():
    assert is_symmetric(program(X @ X.T), SQUARE)
    assert is_symmetric(program((X @ X.T) * 2), SQUARE)


def test_but_only_if_rows_are_cut_as_columns():
    assert not is_symmetric(program(X @ X.T), (SQUARE[0], Cuts.regular(40, 20)))
    assert not is_symmetric(program(X @ X.T), (Cuts.regular(40, 40),) * 2)


def test_a_block_on_the_diagonal_takes_half_the_time_too():
    assert saves_half(program(X @ X.T), SQUARE)
    assert saves_half(program(X @ X.T), (Cuts.regular(40, 40),) * 2)
    assert not saves_half(program(X @ X.T), (SQUARE[0], Cuts.regular(40, 20)))


def test_other_products_are_not():
    assert not is_symmetric(program(X @ (X + 1).T), SQUARE)


def test_formulas_of_any_depth_are_looked_at():
    deep, other = X @ X.T, X @ (X + 1).T
    for number in range(3000):
        deep, other = deep + number, other + number
    assert is_symmetric(program(deep), SQUARE)
    assert not is_symmetric(program(other), SQUARE)


def test_what_is_read_twice_is_looked_at_once():
    y = X @ X.T
    for _ in range(80):
        y = y * y + y
    assert is_symmetric(program(y), SQUARE)


def test_of_fewer_than_two_dimensions_nothing_is():
    assert not is_symmetric(program((X * 2)[0]), SQUARE[:1])


def test_a_device_computes_all_of_a_symmetric_product():
    there = X.to_device("cuda")
    assert not is_symmetric(program(there @ there.T), SQUARE)
    assert not saves_half(program(there @ there.T), SQUARE)
