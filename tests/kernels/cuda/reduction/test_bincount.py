import numpy as np
import pytest

from dask_tapestry.cells import Tree
from dask_tapestry_kernels.cuda import KERNELS
from dask_tapestry_kernels.cuda.jit import runtime
from dask_tapestry_kernels.jit.object_cache import Compiled
from tests.kernels.cuda.fake_cupy import FakeCupy


@pytest.fixture
def cupy(monkeypatch):
    monkeypatch.setattr(runtime, "cubin_of", lambda program, sm: Compiled(program.what, b""))
    return FakeCupy().install(monkeypatch)


def tabulated(bins, *kinds, count=10**7):
    blocks = [runtime.runtime().empty((count,), np.dtype(kind)) for kind in kinds]
    state = np.dtype("f8" if len(blocks) > 1 else "i8")
    told = {"tree": Tree((count,), 65_536), "origin": (0,), "bins": range(bins), "state": state}
    return KERNELS["tabulate"](None, *blocks, **told, target=None, limit=None)


def test_counts_are_taken_by_all_processors_and_added_up(cupy):
    assert tabulated(100, "i4").shape == (100,)
    grids = [(symbol, grid[0]) for symbol, grid, _, _ in cupy.launches]
    assert grids[0] == ("tabulate: counts of int32", 1056)
    assert [symbol for symbol, _ in grids[1:]] == ["tabulate: sums of counts"] * 3


def test_tables_of_many_bins_are_few(cupy):
    tabulated(10_000, "i4", count=10**6)
    assert cupy.launches[0][1] == (6,)


def test_weights_are_added_by_a_warp_a_leaf(cupy):
    tabulated(100, "i8", "f8")
    symbol, grid, threads, _ = cupy.launches[0]
    assert (symbol, grid, threads) == ("tabulate: weights of float64 by int64", (153,), (32,))
