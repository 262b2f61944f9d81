import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dask_tapestry_kernels.cpu import KERNELS
from dask_tapestry_kernels.cpu.blocks import joint_runs
from dask_tapestry_kernels.cpu.blocks.joint_runs import told_of

ANSWERS = ["left", "right", "within"]


def expected(cells, table, answer):
    return np.isin(cells, table) if answer == "within" else np.searchsorted(table, cells, answer)


@given(
    st.lists(st.integers(-5, 5), max_size=40),
    st.lists(st.integers(-5, 5), max_size=40),
    st.integers(1, 4),
    st.integers(1, 9),
    st.integers(1, 9),
    st.sampled_from(ANSWERS),
)
def test_slices_of_a_table_tell_what_all_of_it_does(cells, table, count, piece, turn, answer):
    table = np.sort(np.array(table, "f8"))
    parts = [np.sort(part) for part in np.array_split(np.array(cells, "f8"), count)]
    usual = joint_runs.SLICE, joint_runs.TURN
    joint_runs.SLICE, joint_runs.TURN = piece, turn
    try:
        told = told_of(parts, table, answer, 0)
    finally:
        joint_runs.SLICE, joint_runs.TURN = usual
    for part, found in zip(parts, told, strict=True):
        assert found.tolist() == expected(part, table, answer).tolist()


@pytest.mark.parametrize("answer", ANSWERS)
def test_a_table_in_any_order_tells_what_a_sorted_one_does(answer):
    random = np.random.default_rng(0)
    cells, table = random.integers(0, 50, (3, 7)) * 1.0, random.integers(0, 50, 30) * 1.0
    cells[0, :2] = np.nan, -0.0
    table[:3] = np.nan, np.inf, 0.0
    told = KERNELS["among"](None, cells, table, answer=answer)
    assert np.array_equal(told, expected(cells, np.sort(table), answer))


def test_what_is_told_in_order_is_put_back():
    cells = np.array([5, 1, 3, 2, 9])
    (buckets,) = told_of([np.array([1, 2, 3])], np.array([1, 3]), "within", 0)
    made = joint_runs.BucketBlocks.empty((2, 2))
    made.cells[0] = [np.array([10, 30]), np.array([50])]
    made.cells[1] = [np.array([20]), np.array([90])]
    told = {"length": 3, "dtype": np.dtype(int), "keep": (slice(0, 5),)}
    assert KERNELS["putback"](None, made, cells, **told).tolist() == [50, 10, 30, 20, 90]
    assert buckets.tolist() == [True, False, True]
