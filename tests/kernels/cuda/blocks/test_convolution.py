import numpy as np
import pytest

from dask_tapestry_kernels.cuda import KERNELS
from dask_tapestry_kernels.cuda.blocks import convolution
from dask_tapestry_kernels.cuda.jit import runtime
from dask_tapestry_kernels.jit.object_cache import Compiled
from tests.kernels.cuda.fake_cupy import Array, FakeCupy

F4 = np.dtype("f4")
HOW = {"strides": (1,), "dilation": (1,), "part": None, "dtype": F4}


@pytest.fixture
def cupy(monkeypatch):
    monkeypatch.setattr(runtime, "cubin_of", lambda program, sm: Compiled(program.what, b""))
    fake = FakeCupy().install(monkeypatch)
    fake.module.asarray = lambda table: table.view(Array)
    fake.products = []

    def matmul(x, w):
        fake.products.append((x.shape, w.shape))
        return np.matmul(x, w).view(Array)

    fake.module.matmul = matmul
    return fake


def blocks():
    gpu = runtime.runtime()
    return gpu.empty((5, 1, 3, 20), F4), gpu.empty((1, 4, 3, 6), F4)


def test_few_channels_are_one_launch(cupy):
    made = KERNELS["directconvolution"](None, *blocks(), **HOW)
    assert made.shape == (5, 1, 4, 15)
    assert [what for what, *_ in cupy.launches] == ["directconvolution of float32"]


def test_many_channels_are_products_of_some_batches(cupy, monkeypatch):
    monkeypatch.setattr(convolution, "STRIP_BYTES", 2 * 3 * 6 * 15 * 4)
    made = KERNELS["convolution"](None, *blocks(), **HOW)
    assert made.shape == (5, 1, 4, 15)
    assert cupy.products == [((1, 4, 18), (n, 1, 18, 15)) for n in (2, 2, 1)]
