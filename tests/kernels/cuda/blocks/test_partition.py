import numpy as np
import pytest

from dask_tapestry_kernels.cuda import KERNELS
from dask_tapestry_kernels.cuda.jit import runtime
from dask_tapestry_kernels.device_error import KernelDeviceError
from dask_tapestry_kernels.jit.object_cache import Compiled
from tests.kernels.cuda.fake_cupy import Array, FakeCupy

TOLD = {"axis": 0, "part": slice(0, 9), "kth": (4,), "places": True}


@pytest.fixture
def cupy(monkeypatch):
    monkeypatch.setattr(runtime, "cubin_of", lambda program, sm: Compiled(program.what, b""))
    made = FakeCupy().install(monkeypatch)
    made.module.sort, made.module.argsort = np.sort, np.argsort
    return made


def test_integers_are_their_own_keys(cupy):
    made = KERNELS["partition"](None, np.arange(9)[::-1].copy().view(Array), **TOLD)
    assert (made.shape, made.dtype) == ((9,), np.int64)
    assert [launch[0] for launch in cupy.launches] == ["parts of int64"]


def test_floats_are_turned_into_keys_first(cupy):
    KERNELS["partition"](None, np.ones(9).view(Array), **TOLD)
    assert [launch[0] for launch in cupy.launches] == ["keys of float64", "parts of float64"]


def test_complex_cells_are_refused(cupy):
    with pytest.raises(KernelDeviceError, match="complex128 is sorted on the host"):
        KERNELS["partition"](None, np.ones(9, "D").view(Array), **TOLD)
