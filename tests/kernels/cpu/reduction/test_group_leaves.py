import numpy as np
import pytest

from dask_tapestry_kernels.cpu.reduction.group_leaves import ROW, STATES, GroupedLeaf, group_states
from tests.comparisons import same_bits

RANDOM = np.random.default_rng(2)


def leaf(values, numbers, state, identity=0, skipna=False):
    return GroupedLeaf(values, numbers, 3, np.dtype(state), identity, skipna)


@pytest.mark.parametrize("monoid", ["sum", "prod", "min", "max", "fmin", "nanmean", "nanvar"])
@pytest.mark.parametrize("skipna", [False, True])
def test_few_columns_have_the_bits_of_many(monoid, skipna):
    column = RANDOM.normal(size=(40, 1)) * 10.0 ** RANDOM.integers(-9, 9, (40, 1))
    column[::7] = np.nan
    numbers = RANDOM.integers(0, 2, 40)
    state = {
        "nanmean": [("sum", "f8"), ("count", "i8")],
        "nanvar": [("mean", "f8"), ("m2", "f8"), ("count", "i8")],
    }.get(monoid, "f8")
    identity = {"prod": 1.0, "min": np.inf, "max": -np.inf, "fmin": np.nan}.get(monoid, 0.0)
    few, many = (
        group_states(monoid, leaf(np.repeat(column, width, 1), numbers, state, identity, skipna))
        for width in (1, ROW)
    )
    assert few.shape == (3, 1)
    assert same_bits(np.repeat(few, ROW, 1), many)


def test_counts_are_of_what_is_not_left_out():
    values = np.array([[1.0, np.nan], [2.0, 3.0], [4.0, 5.0]])
    state = [("sum", "f8"), ("count", "i8")]
    held = group_states("nanmean", leaf(values, np.array([0, 0, 2]), state, skipna=True))
    assert held["count"].tolist() == [[2, 1], [0, 0], [1, 1]]
    assert held["sum"].tolist() == [[3, 3], [0, 0], [4, 5]]
    whole = group_states("nanmean", leaf(values, np.array([0, 0, 2]), state))
    assert whole["count"].tolist() == [[2, 2], [0, 0], [1, 1]]


def test_a_leaf_without_rows_has_no_cells():
    for monoid, identity in (("sum", 0.0), ("min", np.inf), ("fmax", np.nan)):
        none = leaf(np.empty((0, 4)), np.empty(0, np.intp), "f8", identity, skipna=True)
        assert same_bits(group_states(monoid, none), np.full((3, 4), identity))


def test_there_are_states_of_each_monoid_that_is_asked_for():
    assert {"any", "all", "fmax", "nanstd"} <= set(STATES)


@pytest.mark.parametrize("width", [1, 3, ROW])
def test_true_cells_are_counted(width):
    values, numbers = RANDOM.random((50, width)) < 0.4, RANDOM.integers(0, 3, 50)
    counts = group_states("sum", leaf(values, numbers, "i8"))
    assert counts.dtype == np.int64
    assert counts.tolist() == [values[numbers == group].sum(0).tolist() for group in range(3)]
    none = group_states("sum", leaf(values[:0], numbers[:0], "i8"))
    assert none.tolist() == [[0] * width] * 3
