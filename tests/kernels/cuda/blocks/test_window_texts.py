import numpy as np
import pytest

from dask_tapestry_kernels.cuda.blocks.window_texts import (
    cast,
    converted_program,
    convolution_program,
    extreme_program,
    from_double_text,
    has_text,
    over_cells,
    pair_program,
    sum_program,
)

F8, F4, I4 = np.dtype("f8"), np.dtype("f4"), np.dtype("i4")


@pytest.mark.few(2)  # as unlike as so many can be
@pytest.mark.covering(together=1)
@pytest.mark.parametrize("cell", [F8, I4, np.dtype("e")])
@pytest.mark.parametrize("wide", [False, True])
def test_sums_compile_without_contraction(cell, wide, check_assembly):
    check_assembly(sum_program(cell, cell, -1, 2, wide), 72)


@pytest.mark.covering(together=1)
@pytest.mark.parametrize("added", [False, True])
@pytest.mark.parametrize("cell", [F4, I4])
def test_extremes_compile(cell, added, check_assembly):
    check_assembly(extreme_program("minimum", cell, cell, added, 2, False), 72)


def test_pairs_and_conversions_compile_without_contraction(check_assembly):
    check_assembly(pair_program("add", (F4, F8, F8), 2), 72)
    check_assembly(converted_program(F8, F4, True, 2), 72)


@pytest.mark.few(2)  # as unlike as so many can be
@pytest.mark.parametrize("kind", "fdDe")
def test_convolutions_compile_without_contraction(kind, check_assembly):
    check_assembly(convolution_program(np.dtype(kind), 3, False), 96)


def test_doubles_become_integers_as_c_converts_them():
    assert from_double_text("v", F8, I4) == "np.int32(ufunc_loops.to_int64(v))"
    assert from_double_text("v", F8, np.dtype(bool)) == "ufunc_loops.to_int64(v) != 0"
    assert from_double_text("v", I4, I4) == "v"
    assert cast("v", I4, F8) == "np.float64(v)"


def test_windows_are_of_real_numbers():
    assert has_text(F8, np.dtype(bool))
    assert not has_text(np.dtype("D"))
    assert not has_text(np.dtype("M8[s]"))


def test_a_thread_finds_its_place_in_each_block():
    text = over_cells(["pass"], [], ["x"], 2, False)
    assert "at_x = np.int64(c0) * x_0 + np.int64(c1) * x_1" in text
