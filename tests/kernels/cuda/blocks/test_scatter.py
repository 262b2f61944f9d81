import numpy as np
import pytest

from dask_tapestry.operators.cells.cell_updates import cell_update
from dask_tapestry_kernels.cuda import KERNELS
from dask_tapestry_kernels.cuda.jit import runtime
from dask_tapestry_kernels.jit.object_cache import Compiled
from tests.kernels.cuda.fake_cupy import Array, FakeCupy

F8 = np.dtype("f8")
LINE = {"steps": ((None, 0, 9, 9, 0, 0),), "vector": 1, "window": ()}


@pytest.fixture
def cupy(monkeypatch):
    monkeypatch.setattr(runtime, "cubin_of", lambda program, sm: Compiled(program.what, b""))
    return FakeCupy().install(monkeypatch)


@pytest.mark.parametrize(("once", "launches"), [(False, 3), (True, 4)])
def test_rows_are_told_and_ordered_then_folded(cupy, once, launches):
    blocks = np.zeros(9), np.zeros(5, int), np.ones(5)
    x, places, updates = (block.view(Array) for block in blocks)
    told = LINE | {"expressions": (cell_update("add", F8),), "once": once}
    cupy.module.asnumpy = np.zeros_like  # what launches would have found
    made = KERNELS["scatter"](None, x, places, updates, **told)
    assert made.shape == (9,)
    assert not np.shares_memory(made, x)
    assert len(cupy.launches) == launches
    assert cupy.launches[-1][0] == "scatter: add($0, $1) of float64"
