import numpy as np

from dask_tapestry_kernels.cuda import KERNELS
from dask_tapestry_kernels.cuda.jit import runtime
from tests.kernels.cuda.fake_cupy import FakeCupy


def test_a_view_has_the_memory_of_its_block(monkeypatch):
    fake = FakeCupy().install(monkeypatch)
    block = runtime.runtime().empty((4, 6), np.dtype("f8"))
    told = {"index": (slice(1, 3),), "order": (1, 0), "broadcast": (0,), "shape": (5, 6, 2)}
    seen = KERNELS["view"](None, block, **told)
    assert seen.ctypes.data == block.ctypes.data + 48
    assert seen.strides == (0, 8, 48)
    assert not fake.launches
