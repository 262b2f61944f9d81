import numpy as np
import pytest

from dask_tapestry_kernels.cuda.blocks.copies import copy_cells, in_order
from dask_tapestry_kernels.cuda.jit import runtime
from dask_tapestry_kernels.jit.object_cache import Compiled
from tests.kernels.cuda.fake_cupy import FakeCupy


@pytest.fixture
def cupy(monkeypatch):
    monkeypatch.setattr(runtime, "cubin_of", lambda program, sm: Compiled(program.what, b""))
    return FakeCupy().install(monkeypatch)


def test_cells_in_another_order_go_through_tiles(cupy):
    source = runtime.runtime().empty((100, 70, 3), np.dtype("f4"))
    copy_cells(runtime.runtime().empty((3, 70, 100), np.dtype("f4")), source.transpose(2, 1, 0))
    assert not cupy.launches  # of three cells no line of memory is read
    target = runtime.runtime().empty((3, 100, 70), np.dtype("f4"))
    copy_cells(target, runtime.runtime().empty((3, 70, 100), np.dtype("f4")).transpose(0, 2, 1))
    ((what, grid, block, _),) = cupy.launches
    assert (what, grid, block) == ("copy of 32 bits", (3 * 3 * 4,), (256,))


def test_cells_in_order_are_cupys_to_copy(cupy):
    x = runtime.runtime().empty((100, 70), np.dtype("f4"))
    x[...] = 3
    assert in_order(x).ctypes.data == x.ctypes.data
    assert (in_order(x[:, ::2]) == 3).all()
    assert not cupy.launches
