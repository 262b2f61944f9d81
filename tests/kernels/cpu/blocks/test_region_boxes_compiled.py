import numpy as np

from dask_tapestry_kernels.cpu.blocks import region_boxes_compiled
from dask_tapestry_kernels.cpu.jit import compile_service


def table(rows):
    made = np.empty((rows, 2, 2), np.int64)
    made[:, 0], made[:, 1] = 9, -1
    return made


def test_few_cells_and_foreign_bytes_are_left_to_numpy(monkeypatch):
    cells = np.ones((2, 2), "i4")
    assert not region_boxes_compiled.fill(table(1), cells, 1, 1)
    monkeypatch.setattr(region_boxes_compiled, "SMALL", 0)
    assert not region_boxes_compiled.fill(table(1), cells.astype(">i4"), 1, 1)


def test_boxes_of_bools_and_integers(monkeypatch):
    monkeypatch.setattr(region_boxes_compiled, "SMALL", 0)
    with compile_service.mode("wait"):
        made = table(2)
        cells = np.array([[0, 2, 2], [3, 0, 2], [5, 1, 0]], "i2")
        assert region_boxes_compiled.fill(made, cells, 2, 3)
        assert made.tolist() == [[[0, 1], [1, 2]], [[1, 0], [1, 0]]]
        made = table(1)
        assert region_boxes_compiled.fill(made, cells == 2, 1, 1)
        assert made.tolist() == [[[0, 1], [1, 2]]]
