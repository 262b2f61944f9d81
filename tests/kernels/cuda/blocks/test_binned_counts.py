import numpy as np
import pytest

from dask_tapestry.cells import Tree
from dask_tapestry_kernels.cuda import KERNELS
from dask_tapestry_kernels.cuda.jit import runtime
from dask_tapestry_kernels.jit.object_cache import Compiled
from tests.kernels.cuda.fake_cupy import FakeCupy


@pytest.mark.parametrize("even", [None, True, False])
def test_cells_are_numbered_before_they_are_counted(even, monkeypatch):
    monkeypatch.setattr(runtime, "cubin_of", lambda program, sm: Compiled(program.what, b""))
    cupy = FakeCupy().install(monkeypatch)
    blocks = [runtime.runtime().empty((10_000,), np.dtype("i4" if even is None else "f8"))]
    if even is not None:
        edges = runtime.runtime().empty((8,), np.dtype("f8"))
        edges[...] = np.arange(8.0)
        blocks.append(edges)
    told = {"tree": Tree((10_000,), 65_536), "origin": (0,), "bins": range(9), "even": even}
    told |= {"state": np.dtype("i8"), "target": None, "limit": None}
    assert KERNELS["tabulate"](None, *blocks, **told).shape == (9,)
    symbols = [launch[0] for launch in cupy.launches]
    numbered = [symbol for symbol in symbols if not symbol.startswith("tabulate")]
    assert len(numbered) == (even is not None)
    assert symbols[: len(numbered)] == numbered
    assert len(symbols) > len(numbered)
