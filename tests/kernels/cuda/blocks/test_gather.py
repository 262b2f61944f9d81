import numpy as np
import pytest

from dask_tapestry_kernels.cuda import KERNELS
from dask_tapestry_kernels.cuda.jit import runtime
from dask_tapestry_kernels.jit.object_cache import Compiled
from tests.kernels.cuda.fake_cupy import Array, FakeCupy


@pytest.fixture
def cupy(monkeypatch):
    monkeypatch.setattr(runtime, "cubin_of", lambda program, sm: Compiled(program.source, b""))
    return FakeCupy().install(monkeypatch)


def test_a_gather_is_one_launch_that_waits_for_nothing(cupy):
    x = runtime.runtime().empty((5, 4), np.dtype("f4"))
    steps = ((None, 0, 4, 5, 0, 0), (1, None, 0, 4, 0, 0))
    told = {"steps": steps, "vector": 1, "window": (1,), "shape": (3, 4)}
    made = KERNELS["gather"](None, x, np.array([1, 2, 9]).view(Array), **told)
    assert (made.shape, made.dtype) == ((3, 4), np.float32)
    assert len(cupy.launches) == 1
