import numpy as np
import pytest

from dask_tapestry.operators.reductions.monoids import MONOIDS
from dask_tapestry_kernels.cuda.reduction.monoid_texts import monoid_text
from dask_tapestry_kernels.cuda.reduction.node_texts import (
    divisor,
    merge_program,
    pair_program,
    value_program,
)

F8, F4 = np.dtype("f8"), np.dtype("f4")


def made_of(name, dtype):
    return monoid_text(name, dtype, MONOIDS[name].dtypes(dtype, None)[1])


@pytest.mark.few(2)  # as unlike as so many can be
@pytest.mark.covering(together=1)
@pytest.mark.parametrize("name", ["sum", "var", "argmax", "nanvar"])
@pytest.mark.parametrize("reduced", [1, 2])
def test_merges_compile_without_contraction(name, reduced, check_assembly):
    check_assembly(merge_program(name, made_of(name, F8), reduced, reduced - 1), 64)


@pytest.mark.parametrize("name", ["sum", "var", "argmax"])
def test_pairs_compile_without_contraction(name, check_assembly):
    check_assembly(pair_program(name, made_of(name, F4)), 48)


@pytest.mark.few(3)  # as unlike as so many can be
@pytest.mark.parametrize("name", ["sum", "mean", "std", "nanmean", "nanstd", "ptp"])
def test_values_compile_without_contraction(name, check_assembly):
    check_assembly(value_program(name, made_of(name, F8), F4), 40)


@pytest.mark.few(2)  # as unlike as so many can be
@pytest.mark.parametrize("name", ["sum", "mean", "prod", "nanmean"])
def test_complex_values_compile_without_contraction(name, check_assembly):
    check_assembly(value_program(name, made_of(name, np.dtype("D")), np.dtype("F")), 48)


def test_values_that_cannot_be_converted_have_no_program():
    assert value_program("sum", made_of("sum", F8), np.dtype("u8")) is None


def test_roots_are_divided_by_numbers_of_their_precision():
    assert divisor(made_of("mean", np.dtype("F"))) == F4
    assert divisor(made_of("nanvar", F4)) == F8
