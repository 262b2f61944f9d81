import numpy as np
import pytest

from dask_tapestry_kernels.cuda import KERNELS
from dask_tapestry_kernels.cuda.jit import runtime
from dask_tapestry_kernels.jit.object_cache import Compiled
from tests.kernels.cuda.fake_cupy import Array, FakeCupy


@pytest.fixture
def cupy(monkeypatch):
    monkeypatch.setattr(runtime, "cubin_of", lambda program, sm: Compiled(program.what, b""))
    return FakeCupy().install(monkeypatch)


def test_long_spans_are_counted_by_all_processors(cupy):
    mask = runtime.runtime().empty((10**8,), np.dtype(bool))
    assert KERNELS["count"](None, mask, span=10**8).shape == (1,)
    symbol, grid, _, _ = cupy.launches[0]
    assert (symbol, grid) == ("count of a mask", (2112,))


def test_places_are_cupys_and_slices_one_launch(cupy):
    x, mask = np.ones((5, 3)).view(Array), np.array([1, 0, 1, 1, 0], bool).view(Array)
    made = KERNELS["compress"](None, x, mask, axis=0, skip=1, length=2)
    assert made.shape == (2, 3)
    assert len(cupy.launches) == 1
