import numpy as np
import pytest

from dask_tapestry_kernels.cpu.jit import compile_service
from dask_tapestry_kernels.cpu.scan import scan_texts


@pytest.fixture(autouse=True)
def every_kernel_compiled():
    with compile_service.mode("wait"):
        yield


def test_what_numpy_has_to_do_is_declined():
    for function, cell, state in (
        ("logaddexp", "f8", "f8"),
        ("add", "m8[s]", "m8[s]"),
        ("add", "g", "g"),
        ("maximum", "f2", "f2"),
    ):
        dtypes = [np.dtype(name) for name in (cell, state, state)]
        assert scan_texts.source("scan_lines", function, *dtypes) is None


def test_a_source_is_a_module_of_its_own():
    dtype = np.dtype("f8")
    text = scan_texts.source("total_lines", "add", dtype, dtype, dtype)
    assert text.count("kernel = njit(") == 1
    compile(text, "kernel", "exec")
