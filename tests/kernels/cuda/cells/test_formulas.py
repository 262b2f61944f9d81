import numpy as np
import pytest

from dask_tapestry.cells import CellBuilder
from dask_tapestry_kernels.cuda import KERNELS
from dask_tapestry_kernels.cuda.cells.formulas import handed
from dask_tapestry_kernels.cuda.jit import runtime
from dask_tapestry_kernels.device_error import KernelDeviceError
from tests.kernels.cuda.fake_cupy import FakeCupy

DATES = np.dtype("M8[s]")


def test_a_half_is_handed_over_as_the_float32_of_its_value():
    assert handed(np.float16(0.1)) == np.float32(np.float16(0.1))
    assert isinstance(handed(np.float16(0.1)), np.float32)
    assert isinstance(handed(np.float64(0.1)), np.float64)


def test_dates_are_refused_by_the_kernel_and_the_dtype(monkeypatch):
    FakeCupy().install(monkeypatch)
    builder = CellBuilder((DATES, DATES))
    expression = builder.finish(builder.call("maximum", (0, 1), DATES))
    x = runtime.runtime().empty((3,), DATES)
    with pytest.raises(
        KernelDeviceError, match=r"kernel map: maximum\(\$0, \$1\) of datetime64\[s\]"
    ):
        KERNELS["map"](None, x, x, expression=expression)
