import numpy as np
import pytest

from dask_tapestry.cells import Tree
from dask_tapestry_kernels.cuda import KERNELS
from dask_tapestry_kernels.cuda.jit import runtime
from dask_tapestry_kernels.jit.object_cache import Compiled
from tests.kernels.cuda.fake_cupy import FakeCupy

F8 = np.dtype("f8")


@pytest.fixture
def cupy(monkeypatch):
    monkeypatch.setattr(runtime, "cubin_of", lambda program, sm: Compiled(program.what, b""))
    return FakeCupy().install(monkeypatch)


def test_a_thread_has_a_column_of_a_leaf(cupy):
    gpu = runtime.runtime()
    cells, codes = gpu.empty((1000, 512), F8), gpu.empty((1000,), np.dtype("i8"))
    told = {"monoid": "sum", "skipna": False, "axes": (0,), "labelled": (0,), "origin": (0,)}
    told |= {"tree": Tree((1000,), 128), "groups": range(7), "dtype": F8, "state": F8}
    told |= {"identity": 0.0, "ddof": 0.0, "target": None}
    assert KERNELS["groupfold"](None, cells, codes, **told).shape == (512, 7)
    symbol, grid, threads, _ = cupy.launches[0]
    assert symbol == "groupfold: sum of float64"
    assert grid[0] * threads[0] == 8 * 512  # leaves and columns


def test_tables_are_merged_by_the_kernel_of_nodes():
    assert KERNELS["groupmerge"] is KERNELS["reduce"]
