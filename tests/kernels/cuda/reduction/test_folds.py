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


def folded(x, name="sum", **ways):
    told = {"monoid": name, "axes": (0,), "tree": Tree((x.shape[0],)), "origin": (0,)}
    told |= {"dtype": F8, "state": F8, "ddof": 0.0, "source": None, "target": None}
    return KERNELS["reduce"](None, x, **{**told, **ways})


def test_a_fold_is_leaves_merges_and_a_value(cupy):
    x = runtime.runtime().empty((5000,), F8)
    value = folded(x)
    assert value.shape == ()
    grids = [(grid, block) for _, grid, block, _ in cupy.launches]
    # 5 leaves, a warp each; 3, 2 and 1 nodes; the value
    assert grids == [((1,), (256,))] * 5
    assert {symbol for symbol, *_ in cupy.launches} == {"reduce: sum of float64"}


def test_columns_are_folded_by_blocks_of_1024_threads(cupy):
    folded(runtime.runtime().empty((64, 320), F8))
    _, grid, block, _ = cupy.launches[0]
    assert (grid, block) == ((10,), (1024,))
