import numpy as np
import pytest

from dask_tapestry_kernels.parameters.key_bytes import key_bytes, text_bytes


@pytest.mark.parametrize(("dtype", "size"), [("f8", 8), ("F", 10), ("D", 18), ("G", 22), ("g", 10)])
def test_keys_of_wide_cells(dtype, size):
    if dtype in "gG" and np.finfo(dtype).nmant != 63:
        pytest.skip("numbers of 80 bits are the processor's")
    assert key_bytes(np.dtype(dtype)) == size


@pytest.mark.parametrize("dtype", ["?", "i2", "u8", "f4", "M8[s]", "S5", "U3"])
def test_keys_of_others_have_the_bytes_of_cells(dtype):
    assert text_bytes(np.dtype(dtype)) == np.dtype(dtype).itemsize
