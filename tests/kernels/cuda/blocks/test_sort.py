import numpy as np
import pytest

from dask_tapestry_kernels.cuda import KERNELS
from dask_tapestry_kernels.cuda.jit import runtime
from dask_tapestry_kernels.jit.object_cache import Compiled
from tests.kernels.cuda.fake_cupy import FakeCupy


@pytest.fixture
def cupy(monkeypatch):
    monkeypatch.setattr(runtime, "cubin_of", lambda program, sm: Compiled(program.what, b""))
    fake = FakeCupy().install(monkeypatch)
    fake.module.sort = lambda keys, axis: np.sort(keys, axis=axis)
    return fake


def test_floats_become_keys_and_keys_floats(cupy):
    x = runtime.runtime().empty((3, 1000), np.dtype("f8"))
    KERNELS["sort"](None, x, axis=1, part=slice(0, 1000), in_runs=False)
    assert [what for what, *_ in cupy.launches] == ["keys of float64", "float64 of keys"]


def test_integers_are_keys_themselves(cupy):
    x = runtime.runtime().empty((5,), np.dtype("i8"))
    x[...] = np.arange(5)[::-1]
    made = KERNELS["sort"](None, x, axis=0, part=slice(1, 3), in_runs=False)
    assert made.tolist() == [1, 2]
    assert not cupy.launches
