import numpy as np
import pytest

from dask_tapestry.operators.reductions.monoids import MONOIDS
from dask_tapestry_kernels.cuda.reduction.group_texts import group_program
from dask_tapestry_kernels.cuda.reduction.monoid_texts import monoid_text


def program(name, kind, skipna=True, reduced=1, kept=1):
    dtype = np.dtype(kind)
    text = monoid_text(name, dtype, MONOIDS[name].dtypes(dtype, None)[1])
    return group_program(name, text, skipna, np.dtype("i8"), reduced, kept)


@pytest.mark.few(2)  # as unlike as so many can be
@pytest.mark.parametrize(("name", "kind"), [("sum", "d"), ("max", "e"), ("any", "?"), ("sum", "F")])
def test_folds_compile_without_contraction(name, kind, check_assembly):
    check_assembly(program(name, kind), 72)


@pytest.mark.few(2)  # as unlike as so many can be
@pytest.mark.covering(together=1)
@pytest.mark.parametrize("name", ["nanmean", "nanvar", "fmin"])
@pytest.mark.parametrize("reduced", [1, 2])
def test_folds_that_leave_nan_out_compile(name, reduced, check_assembly):
    check_assembly(program(name, "d", reduced=reduced, kept=2), 88)


def test_only_floats_have_cells_that_are_left_out():
    assert "missing" in program("sum", "d").source
    assert "missing" not in program("sum", "d", skipna=False).source
    assert "missing" not in program("sum", "l").source
