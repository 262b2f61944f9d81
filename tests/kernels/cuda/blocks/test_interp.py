import numpy as np
import pytest

from dask_tapestry_kernels.cuda import KERNELS
from dask_tapestry_kernels.cuda.blocks import interp
from dask_tapestry_kernels.cuda.jit import runtime
from dask_tapestry_kernels.jit.object_cache import Compiled
from tests.kernels.cuda.fake_cupy import Array, FakeCupy


@pytest.fixture
def cupy(monkeypatch):
    monkeypatch.setattr(runtime, "cubin_of", lambda program, sm: Compiled(program.what, b""))
    made = FakeCupy().install(monkeypatch)
    made.module.asarray = lambda x: np.array(x).view(Array)
    return made


@pytest.mark.parametrize("period", [None, 2.0])
def test_an_interpolation_is_one_launch(cupy, period):
    x, points = np.ones((4, 5)).view(Array), np.arange(3.0).view(Array)
    told = {"left": 1, "right": None, "period": period}
    made = KERNELS["interp"](None, x, points, points.astype("D"), **told)
    assert (made.shape, made.dtype) == ((4, 5), np.complex128)
    assert [launch[0] for launch in cupy.launches] == ["interpolation of complex128"]


def test_points_of_a_period_have_one_more_at_either_end(cupy):
    gpu = runtime.runtime()
    points, values = interp._of_period(gpu, np.array([5.0, 1.5]), np.array([1.0, 2.0]), 2.0)
    assert points.tolist() == [-0.5, 1.0, 1.5, 3.0]
    assert values.tolist() == [2.0, 1.0, 2.0, 1.0]
