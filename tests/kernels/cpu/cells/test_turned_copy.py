from itertools import permutations

import numpy as np
import pytest

from dask_tapestry_kernels.cpu.cells.turned_copy import SMALL, Plane, copy_cells, plane_of
from dask_tapestry_kernels.cpu.jit import compile_service


@pytest.fixture(autouse=True)
def every_kernel_compiled():
    with compile_service.mode("wait"):
        yield


@pytest.mark.parametrize("kind", ["u1", "f2", "f4", "f8", "c16", "?"])
@pytest.mark.parametrize("shape", [(300, 301), (70, 5, 250), (9, 11, 12, 70), (210, 110, 3)])
def test_cells_go_where_they_belong_however_both_lie(shape, kind):
    cells = np.random.default_rng(0).integers(0, 200, shape).astype(kind)
    for order in permutations(range(len(shape))):
        for turned in (cells, cells[::-1], cells[..., 1:]):
            block = turned.transpose(order)
            out = np.zeros(block.shape, kind)
            assert copy_cells(out, block) is out
            assert np.array_equal(out, block)


def test_gaps_of_the_target_stay():
    cells, whole = np.random.default_rng(0).random((300, 300)), np.zeros((400, 400))
    copy_cells(whole[50:350, 50:350], cells.T)
    assert np.array_equal(whole[50:350, 50:350], cells.T)
    assert whole[:50].sum() == whole[350:].sum() == whole[:, :50].sum() == 0


def test_planes_are_turned_where_other_cells_lie_side_by_side():
    cells = np.zeros((300, 300, 4))
    assert plane_of(cells.transpose(2, 1, 0)[0], np.zeros((300, 300))) is None  # neither is
    assert plane_of(cells, np.zeros(cells.shape)) is None
    assert plane_of(cells[..., 0].copy().T, np.zeros((300, 300))) == Plane(0, 1)


@pytest.mark.parametrize(
    ("block", "dtype"),
    [
        (np.zeros((100, SMALL // 200)).T, "f8"),
        (np.zeros((300, 300)).T, "f4"),
        (np.full((300, 300), "a").astype(object).T, "O"),
    ],
)
def test_small_blocks_casts_and_objects_are_numpys(block, dtype):
    out = np.empty(block.shape, dtype)
    assert plane_of(block, out) is None
    copy_cells(out, block)
    assert (out == block).all()


def test_without_a_target_there_is_a_copy():
    cells = np.arange(6).reshape(2, 3)
    assert copy_cells(None, cells) is not cells
