import numpy as np
import pytest

from dask_tapestry_kernels.cuda import KERNELS
from dask_tapestry_kernels.cuda.jit import runtime
from tests.kernels.cuda.fake_cupy import Array, FakeCupy


@pytest.fixture
def asked(monkeypatch):
    """The shapes whose true cells CuPy counts."""
    fake, shapes = FakeCupy().install(monkeypatch), []

    def count_nonzero(a, axis=None):
        shapes.append(a.shape)
        return np.asarray(np.count_nonzero(a, axis)).view(Array)

    fake.module.count_nonzero = count_nonzero
    return shapes


def test_whole_spans_are_counted_together(asked):
    mask = runtime.runtime().empty((100,), np.dtype(bool))
    mask[...] = True
    assert KERNELS["count"](None, mask, span=30).tolist() == [30, 30, 30, 10]
    assert asked == [(3, 30), (10,)]


def test_of_no_cells_nothing_is_counted(asked):
    mask = runtime.runtime().empty((0,), np.dtype(bool))
    assert KERNELS["count"](None, mask, span=30).tolist() == []
    assert not asked
