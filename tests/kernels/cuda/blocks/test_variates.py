import numpy as np
import pytest

from dask_tapestry_kernels.cuda import KERNELS
from dask_tapestry_kernels.cuda.blocks import variates
from dask_tapestry_kernels.cuda.jit import runtime
from dask_tapestry_kernels.jit.object_cache import Compiled
from tests.kernels.cuda.fake_cupy import Array, FakeCupy

TOLD = {"key": (1, 2**64 - 1), "draw": (3, 0), "frame": (9, 8), "places": [range(9), range(8)]}


@pytest.fixture
def cupy(monkeypatch):
    monkeypatch.setattr(runtime, "cubin_of", lambda program, sm: Compiled(program.what, b""))
    return FakeCupy().install(monkeypatch)


def test_cells_of_a_distribution_are_one_launch(cupy):
    trials = np.ones((9, 8), np.int64).view(Array)
    made = KERNELS["variates"](None, trials, draw_of="binomial", given=(None, 0.5), **TOLD)
    assert (made.shape, made.dtype) == ((9, 8), np.int64)
    assert [launch[0] for launch in cupy.launches] == ["draw of binomial"]


def test_rows_are_one_launch(cupy):
    weights = np.ones((9, 8, 3)).view(Array)
    told = {"draw_of": "multinomial", "total": 5, "part": slice(1, 3)}
    made = KERNELS["variaterows"](None, weights, **told, **TOLD)
    assert (made.shape, made.dtype) == ((9, 8, 2), np.int64)
    assert [launch[0] for launch in cupy.launches] == ["draw of multinomial"]


def test_cells_are_numbered_by_few_axes():
    whole, x = [range(9), range(8)], np.zeros((9, 8))
    found = variates._numbered((9, 8), whole, [x])
    assert found == ([72], 0, [1], [[1]], False)
    found = variates._numbered((9, 8), whole, [x.T.copy().T, x])
    assert found == ([9, 8], 0, [8, 1], [[1, 9], [8, 1]], False)
    part = [range(2, 9, 2), range(5, 6)]
    assert variates._numbered((9, 8), part, [x[:4, :1]])[:3] == ([4], 21, [16])
    assert variates._numbered((2**70,), [range(2**69, 2**69 + 1)], [x[:1, 0]]) == (
        [1], 2**69, [1], [[1]], True,
    )  # fmt: skip
