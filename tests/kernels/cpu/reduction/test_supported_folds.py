import numpy as np
import pytest

from dask_tapestry.operators.reductions.monoids import MONOIDS
from dask_tapestry_kernels.cpu.reduction.supported_folds import convertible, supported
from tests.kernels.cpu.reduction.leaf_cells import state_of


def test_what_is_compiled():
    missing = {
        (monoid, dtype)
        for monoid in MONOIDS
        for dtype in ("?", "i1", "u8", "f2", "f4", "f8", "c8", "c16")
        if (state := state_of(monoid, dtype)) is not None
        and not supported(monoid, np.dtype(dtype), state)
    }
    assert {monoid for monoid, _ in missing} == {"gcd", "lcm", "hypot", "logaddexp", "logaddexp2"}


@pytest.mark.parametrize("dtype", ["O", "U3", "g", "G", ">f8"])
def test_other_dtypes_are_left_to_numpy(dtype):
    cell = np.dtype(dtype)
    state = np.dtype([("value", cell), ("place", np.intp)])
    assert not supported("argmin", cell, state)
    assert not supported("sum", cell, cell)


@pytest.mark.parametrize("monoid", ["sum", "max", "argmax", "ptp"])
def test_times_are_folded_only_where_a_nat_is_the_least_integer(monoid):
    state = state_of(monoid, "m8[s]")
    assert not supported(monoid, np.dtype("m8[s]"), state)


def test_what_c_leaves_open_is_not_converted():
    assert not convertible(np.dtype("f8"), np.dtype("i8"))
    assert not convertible(np.dtype("c16"), np.dtype("f8"))
    assert convertible(np.dtype("c16"), np.dtype("?"))
