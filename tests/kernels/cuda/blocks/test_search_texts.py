import numpy as np
import pytest

from dask_tapestry_kernels.cuda.blocks.search_texts import common_dtype, less, search_program

F4, F8, I8 = np.dtype("f4"), np.dtype("f8"), np.dtype("i8")


@pytest.mark.few(2)  # as unlike as so many can be
@pytest.mark.covering(together=1)
@pytest.mark.parametrize("answer", ["place", "far place", "bin", "is there"])
@pytest.mark.parametrize("wide", [False, True])
def test_searches_compile_with_few_registers(answer, wide, check_assembly):
    dtype = np.dtype(bool) if answer == "is there" else I8
    check_assembly(search_program(F4, F8, dtype, answer, True, 2, wide), 48)


@pytest.mark.few(3)  # as unlike as so many can be
@pytest.mark.parametrize("kind", "?Bhef")
def test_cells_of_every_size_compile(kind, check_assembly):
    check_assembly(search_program(np.dtype(kind), np.dtype(kind), I8, "place", False, 1, False), 40)


def test_a_nan_comes_last():
    assert less("a", "b", I8) == "a < b"
    assert less("a", "b", F8) == "a < b or (b != b and a == a)"


def test_cells_are_compared_in_the_dtype_of_both():
    assert common_dtype(F4, F8) == F8
    assert common_dtype(np.dtype("i1"), np.dtype("?")) == np.dtype("i1")
    assert common_dtype(I8, np.dtype("u8")) is None
    assert common_dtype(np.dtype("D"), np.dtype("D")) is None
