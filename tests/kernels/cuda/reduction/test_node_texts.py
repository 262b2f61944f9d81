import numpy as np
import pytest

from dask_tapestry.operators.reductions.monoids import MONOIDS
from dask_tapestry_kernels.cuda.reduction.monoid_texts import monoid_text
from dask_tapestry_kernels.cuda.reduction.node_texts import (
    merge_program,
    pair_program,
    value_program,
)
from tests.kernels.cuda.assembled import check_assembly

F8, F4 = np.dtype("f8"), np.dtype("f4")


def made_of(name, dtype):
    text = monoid_text(name, dtype, MONOIDS[name].dtypes(dtype, None)[1])
    return text.monoid, tuple(text.fields.items()), text.function


@pytest.mark.parametrize("name", ["sum", "var", "argmax"])
@pytest.mark.parametrize("reduced", [1, 2])
def test_merges_compile_without_contraction(name, reduced):
    check_assembly(merge_program(name, made_of(name, F8), reduced, reduced - 1), 64)


@pytest.mark.parametrize("name", ["sum", "var", "argmax"])
def test_pairs_compile_without_contraction(name):
    check_assembly(pair_program(name, made_of(name, F4)), 48)


@pytest.mark.parametrize("name", ["sum", "mean", "std"])
def test_values_compile_without_contraction(name):
    check_assembly(value_program(name, name, F8, F4), 40)


def test_values_that_cannot_be_converted_have_no_program():
    assert value_program("sum", "sum", F8, np.dtype("u8")) is None
