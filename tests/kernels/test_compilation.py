import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry_kernels import compilation
from dask_tapestry_kernels.cpu.jit import compile_service


def test_blocks_wait_for_their_kernels_inside_alone():
    before = compile_service._service.mode
    with compilation.mode("wait"):
        assert compile_service._service.mode == "wait"
        assert dt.hypot(dt.asarray([3.0]), 4.0).compute() == np.array([5.0])
    assert compile_service._service.mode == before
    assert compilation.wait()


def test_another_mode_is_refused():
    with (
        pytest.raises(ValueError, match="'soon' is none of auto, wait, off"),
        compilation.mode("soon"),
    ):
        pass
