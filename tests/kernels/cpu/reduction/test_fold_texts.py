import subprocess
import sys

import numpy as np
import pytest

from dask_tapestry.operators.monoids import MONOIDS
from dask_tapestry_kernels.cpu.reduction.fold_texts import convertible, fold_source, leaves_source
from tests.kernels.cpu.reduction.leaf_cells import state_of


def test_what_is_compiled():
    missing = {
        (monoid, dtype)
        for monoid in MONOIDS
        for dtype in ("?", "i1", "u8", "f2", "f4", "f8", "c8", "c16")
        if (state := state_of(monoid, dtype)) is not None
        and fold_source(monoid, np.dtype(dtype), state) is None
    }
    assert {monoid for monoid, _ in missing} == {"gcd", "lcm", "hypot", "logaddexp", "logaddexp2"}


@pytest.mark.parametrize("dtype", ["O", "U3", "g", "G", ">f8"])
def test_other_dtypes_are_left_to_numpy(dtype):
    cell = np.dtype(dtype)
    state = np.dtype([("value", cell), ("place", np.intp)])
    assert fold_source("argmin", cell, state) is None
    assert fold_source("sum", cell, cell) is None


@pytest.mark.parametrize("monoid", ["sum", "max", "argmax", "ptp"])
def test_times_are_folded_only_where_a_nat_is_the_least_integer(monoid):
    state = state_of(monoid, "m8[s]")
    assert fold_source(monoid, np.dtype("m8[s]"), state) is None


def test_what_c_leaves_open_is_not_converted():
    assert not convertible(np.dtype("f8"), np.dtype("i8"))
    assert not convertible(np.dtype("c16"), np.dtype("f8"))
    assert convertible(np.dtype("c16"), np.dtype("?"))


def test_texts_are_made_without_numba():
    code = (
        "import sys, dask_tapestry_kernels.cpu.reduction.reduce, numpy as np;"
        "from dask_tapestry_kernels.cpu.reduction.fold_texts import fold_source, leaves_source;"
        "fold_source('sum', np.dtype('f8'), np.dtype('f8')); leaves_source();"
        "sys.exit('numba' in sys.modules or 'llvmlite' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_texts_define_a_kernel():
    assert "def kernel(" in leaves_source()
