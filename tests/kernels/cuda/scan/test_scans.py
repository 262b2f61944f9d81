import numpy as np
import pytest

from dask_tapestry_kernels.cuda import KERNELS
from dask_tapestry_kernels.cuda.jit import runtime
from dask_tapestry_kernels.jit.object_cache import Compiled
from tests.kernels.cuda.fake_cupy import FakeCupy

F8 = np.dtype("f8")


@pytest.fixture
def cupy(monkeypatch):
    monkeypatch.setattr(runtime, "cubin_of", lambda program, sm: Compiled(program.what, b""))
    return FakeCupy().install(monkeypatch)


def told(axis):
    return {"function": "add", "axis": axis, "leaf": 128, "state": F8}


def test_a_scan_is_totals_their_scan_and_leaves_after_them(cupy):
    x = runtime.runtime().empty((3, 1000), F8)
    result = KERNELS["scan"](None, x, **told(1), dtype=F8, skip=0)
    assert result.shape == (3, 1000)
    grids = [(grid, block) for _, grid, block, _ in cupy.launches]
    # 3 * 7 totals, 3 lines of totals, 3 * 8 leaves
    assert grids == [((1,), (128,)), ((1,), (128,)), ((1,), (128,))]


def test_one_leaf_takes_one_launch(cupy):
    x = runtime.runtime().empty((128, 1000), F8)
    KERNELS["scan"](None, x, **told(0), dtype=F8, skip=0)
    assert [grid for _, grid, _, _ in cupy.launches] == [(4,)]


def test_the_result_lies_as_the_block_does(cupy):
    x = runtime.runtime().empty((5, 7), F8).T
    result = KERNELS["leaf_scan"](None, x, **told(0), skip=2)
    assert result.shape == (5, 5)
    assert result.strides == (8, 40)
