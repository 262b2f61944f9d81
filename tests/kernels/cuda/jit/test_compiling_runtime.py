import os

import numpy as np
import pytest

from dask_tapestry.cells import CellBuilder
from dask_tapestry_kernels.cuda import KERNELS
from dask_tapestry_kernels.cuda.jit import cubins, runtime
from dask_tapestry_kernels.gpu_compilation import compiling_for
from dask_tapestry_kernels.jit import object_cache
from tests.gpu.bandwidth import PRODUCT, folded
from tests.kernels.cuda.fake_cupy import Array, FakeCupy

F8 = np.dtype("f8")


@pytest.fixture
def cache(monkeypatch, tmp_path):
    """A cache of kernels that is empty, in a process that has loaded none."""
    folder = tmp_path / "cache"
    monkeypatch.setitem(os.environ, object_cache.DIRECTORY, str(folder))
    monkeypatch.setattr(cubins, "_cubins", cubins.Cubins())
    return folder


def kept(folder):
    return {path.name for path in folder.iterdir() if not path.name.startswith("lock")}


def called(make):
    """Kernels on arrays of `make`: in order, of two strides, and a fold."""
    x, y = make(np.ones((64, 64))), make(np.ones((64, 64)))
    KERNELS["map"](None, x, y, expression=PRODUCT)
    KERNELS["map"](None, x, y.T, expression=PRODUCT)
    folded("sum", x, (1,))


def test_a_device_asks_for_no_other_cubins(cache, monkeypatch):
    with compiling_for([80, 90]):
        called(lambda x: x)
    before = kept(cache)
    assert len(before) >= 6
    for sm in ("90", "80"):
        monkeypatch.setattr(cubins, "_cubins", cubins.Cubins())
        fake = FakeCupy(sm=sm).install(monkeypatch)
        called(lambda x: x.view(Array))
        assert len(fake.loaded) == len(before) / 2
        assert kept(cache) == before


def test_another_architecture_is_compiled_when_it_is_met(cache, monkeypatch):
    with compiling_for([80]):
        called(lambda x: x)
    before = kept(cache)
    FakeCupy(sm="100").install(monkeypatch)
    called(lambda x: x.view(Array))
    assert len(kept(cache)) == 2 * len(before)


def test_the_runtime_before_is_used_again():
    before = runtime.used()
    with compiling_for([90]):
        assert runtime.runtime().architectures == (90,)
    assert runtime.used() is before


def test_a_formula_that_has_no_meaning_there_is_refused_as_on_a_device(cache):
    days = np.dtype("M8[D]")
    builder = CellBuilder((days,))
    expression = builder.finish(builder.call("isnat", (0,), np.dtype(bool)))
    with compiling_for([90]), pytest.raises(Exception, match=r"isnat|datetime64"):
        KERNELS["map"](None, np.zeros(3, days), expression=expression)
