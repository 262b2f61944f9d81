import numpy as np
import pytest

from dask_tapestry_kernels.cuda import KERNELS
from dask_tapestry_kernels.cuda.jit import runtime
from dask_tapestry_kernels.jit.object_cache import Compiled
from tests.kernels.cuda.fake_cupy import Array, FakeCupy

F8 = np.dtype("f8")


@pytest.fixture
def cupy(monkeypatch):
    monkeypatch.setattr(runtime, "cubin_of", lambda program, sm: Compiled(program.what, b""))
    fake = FakeCupy().install(monkeypatch)
    fake.module.asarray = lambda table: table.view(Array)
    return fake


def told(window, shape):
    return {"window": window, "steps": (1, 1), "shape": shape, "dtype": F8}


def test_boxes_take_a_launch_for_each_doubling(cupy):
    x = runtime.runtime().empty((100, 40), F8)
    KERNELS["windowfold"](None, x, **told((1, 33), (100, 8)), fold="maximum")
    assert len(cupy.launches) == 6 + 1  # 2, 4, 8, 16, 32 and 33 cells, and the result


def test_sums_take_one_launch(cupy):
    x = runtime.runtime().empty((100, 40), F8)
    singles = tuple(((i, j), 0.5) for i in range(3) for j in range(5))
    arguments = {"singles": singles, "pairs": (), "sign": 1, "divisor": 1.0}
    made = KERNELS["windowsum"](None, x, **told((3, 5), (98, 36)), **arguments)
    assert made.shape == (98, 36)
    ((_, grid, _, given),) = cupy.launches
    assert (grid, given[0]) == ((14,), 98 * 36)
