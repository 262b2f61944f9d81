import numpy as np

from dask_tapestry_kernels.cuda.kernel_texts import (
    coordinates,
    grid_stride,
    loaded,
    module_text,
    number_text,
    to_store,
)


def test_a_kernel_has_a_signature_and_its_statements():
    text = module_text([("n", "int64"), ("out", "CPointer(float64)")], ["pass"])
    assert 'SIGNATURE = "(int64, CPointer(float64),)"' in text
    assert text.endswith("def kernel(n, out):\n    pass\n")


def test_truth_values_are_bytes_and_halves_are_bits_in_memory():
    assert loaded("x[i]", np.dtype(bool)) == "x[i] != 0"
    assert to_store("v", np.dtype(bool)) == "np.uint8(v)"
    assert loaded("x[i]", np.dtype("e")) == "half_to_float(x[i])"
    assert to_store("v", np.dtype("e")) == "float_to_half(v)"
    assert loaded("x[i]", np.dtype("d")) == "x[i]"


def test_loops_go_through_all_cells_in_turn():
    assert grid_stride(["body"], "cells")[2:] == ["while i < cells:", "    body", "    i += step"]
    assert coordinates("i", [], [], "int64") == []


def test_numbers_beyond_int64_are_its_largest():
    assert number_text("x", np.dtype("i2")) == "np.int64(x)"
    assert number_text("x", np.dtype("u8")) == f"np.int64(min(x, np.uint64({2**63 - 1})))"
