import numpy as np

from dask_tapestry_kernels.cpu.blocks import region_runs_compiled
from dask_tapestry_kernels.cpu.blocks.region_runs import reaches
from dask_tapestry_kernels.cpu.jit import compile_service

CELLS = np.array([[1, 0, 1, 1], [1, 1, 0, 1], [0, 0, 0, 0], [1, 0, 0, 1]], bool)


def test_few_cells_are_left_to_numpy():
    out = np.empty(CELLS.shape, np.int32)
    assert region_runs_compiled.label(out, CELLS, True, ()) is None


def test_regions_are_numbered_and_other_cells_are_zero(monkeypatch):
    monkeypatch.setattr(region_runs_compiled, "SMALL", 0)
    out = np.full(CELLS.shape, -1, np.int32)
    with compile_service.mode("wait"):
        assert region_runs_compiled.label(out, CELLS, True, reaches(np.ones((3, 3)))) == 3
        assert out.tolist() == [[1, 0, 1, 1], [1, 1, 0, 1], [0, 0, 0, 0], [2, 0, 0, 3]]
        assert region_runs_compiled.label(out, CELLS, False, ()) == CELLS.sum()
    assert out[CELLS].tolist() == list(range(1, 9))
