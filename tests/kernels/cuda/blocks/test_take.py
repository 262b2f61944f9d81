import numpy as np

from dask_tapestry_kernels.cuda import KERNELS
from dask_tapestry_kernels.cuda.jit import runtime
from tests.kernels.cuda.fake_cupy import Array, FakeCupy


def test_a_box_of_the_whole_shape_is_the_result_itself(monkeypatch):
    fake = FakeCupy().install(monkeypatch)
    gpu = runtime.runtime()
    block, values = gpu.empty((4, 5), np.dtype("f8")), np.ones((4, 5)).view(Array)
    told = {"index": (slice(0, 4), slice(0, 5)), "shape": (4, 5)}
    assert KERNELS["insert"](None, block, values, **told) is values
    made = KERNELS["insert"](None, values, values[:1] * 0, **told | {"index": (slice(1),)})
    assert made.sum() == 15
    assert not fake.launches
