import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dask_tapestry_kernels.cpu import KERNELS
from dask_tapestry_kernels.cpu.blocks.order_keys import order_keys
from dask_tapestry_kernels.parameters.key_bytes import key_bytes

CELLS = st.sampled_from([-np.inf, -2.5, -1e-42, -0.0, 0.0, 1.0, 7.0, np.inf, np.nan, -np.nan])


@given(st.lists(CELLS, max_size=12), st.sampled_from(["f2", "f4", "f8", "g"]))
def test_keys_have_the_order_of_sorted_cells(cells, dtype):
    x = np.array(cells, dtype)
    made = KERNELS["sort"](None, x, axis=0, part=slice(0, len(x)), in_runs=False)
    assert np.array_equal(order_keys(made), np.sort(order_keys(x)))


@given(st.lists(st.tuples(CELLS, CELLS), max_size=12), st.sampled_from(["F", "D", "G"]))
def test_keys_of_complex_cells_have_the_order_of_sorted_ones(parts, dtype):
    x = np.zeros(len(parts), dtype)
    x.real, x.imag = [a for a, _ in parts], [b for _, b in parts]
    made = KERNELS["sort"](None, x.copy(), axis=0, part=slice(0, len(x)), in_runs=False)
    assert np.array_equal(order_keys(made), np.sort(order_keys(x)))
    pairs = np.zeros(len(x), [("key", dtype), ("place", "i8")])
    pairs["key"] = x
    stable = np.argsort(order_keys(pairs), kind="stable")
    assert np.array_equal(stable, np.argsort(x, kind="stable"))


def test_keys_of_bytes_have_their_declared_length():
    for dtype in ("g", "F", "D", "G"):
        assert order_keys(np.ones((2, 3), dtype)).dtype == f"S{key_bytes(np.dtype(dtype))}"


def test_keys_of_times_have_what_is_none_last():
    x = np.array([5, np.iinfo("i8").min, -3, np.iinfo("i8").max], "i8").view("M8[s]")
    assert np.argsort(order_keys(x)).tolist() == [2, 0, 3, 1]


@pytest.mark.parametrize("dtype", ["f4", "f8", "g", "D"])
def test_zeros_of_both_signs_are_equal_keys_of_pairs(dtype):
    pairs = np.zeros(4, [("key", dtype), ("place", "i8")])
    pairs["key"] = [-0.0, 0.0, 1, np.nan]
    keys = order_keys(pairs)
    assert keys[0] == keys[1] < keys[2] < keys[3]
