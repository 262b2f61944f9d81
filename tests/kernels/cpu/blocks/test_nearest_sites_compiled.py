import numpy as np

from dask_tapestry_kernels.cpu.blocks import nearest_sites_compiled
from dask_tapestry_kernels.cpu.jit import compile_service


def test_few_cells_are_left_to_numpy():
    sites = np.zeros((1, 3), np.int64)
    assert not nearest_sites_compiled.advance(sites, [], (), (1.0,), 0, False, False)


def test_sites_are_written_over(monkeypatch):
    monkeypatch.setattr(nearest_sites_compiled, "SMALL", 0)
    first = np.array([[0, -1, -1, -1, 3]])  # of a line at 0: sites 0 and 3 cells away
    with compile_service.mode("wait"):
        for metric in (0, 1):
            for before, far in ((False, 3 * 5 + 4), (True, 4 * 4 + 3)):
                sites, told = first.copy(), ((4,), (1.0, 1.0), metric, False, before)
                assert nearest_sites_compiled.advance(sites, [np.array([0])], *told)
                assert sites.tolist() == [[0] * 4 + [far]]
