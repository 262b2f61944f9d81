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


def test_a_search_is_one_launch(cupy):
    x = runtime.runtime().empty((40, 50), np.dtype("f4"))
    made = KERNELS["search"](None, x, np.arange(9.0).view(Array), side="left")
    assert (made.shape, made.dtype) == ((40, 50), np.int64)
    assert [launch[:3] for launch in cupy.launches] == [
        ("search of float32 in float64", (8,), (256,))
    ]


@pytest.mark.parametrize("step", [1, -1])
def test_edges_may_descend(cupy, step):
    x = runtime.runtime().empty((7,), np.dtype("f4"))
    KERNELS["digitize"](None, x, np.arange(9.0)[::step].view(Array), right=False)
    assert len(cupy.launches) == 1


def test_nothing_is_in_an_empty_table(cupy):
    x = runtime.runtime().empty((7,), np.dtype("f4"))
    table = runtime.runtime().empty((0,), np.dtype("f4"))
    assert KERNELS["isin"](None, x, table, invert=True).all()
    assert not cupy.launches


@pytest.mark.parametrize(("answer", "kind"), [("left", np.int64), ("within", bool)])
def test_each_part_of_a_table_is_a_launch(cupy, answer, kind):
    x = runtime.runtime().empty((40, 50), np.dtype("f4"))
    table = np.arange(9, dtype="f4").view(Array)
    made = KERNELS["searchparts"](None, x, table, answer=answer, length=4)
    assert (made.shape, made.dtype) == ((3, 40, 50), kind)
    assert len(cupy.launches) == 3
