import numpy as np
import pytest

from dask_tapestry_kernels.cuda.blocks import picked_cells
from dask_tapestry_kernels.cuda.jit import runtime
from dask_tapestry_kernels.jit.object_cache import Compiled
from tests.kernels.cuda.fake_cupy import Array, FakeCupy


@pytest.fixture
def cupy(monkeypatch):
    monkeypatch.setattr(runtime, "cubin_of", lambda program, sm: Compiled(program.source, b""))
    return FakeCupy().install(monkeypatch)


def pick(numbers, extent):
    return picked_cells.Pick(numbers.view(Array), numbers.strides, 0, extent, 0, extent - 1)


@pytest.mark.parametrize(("kind", "word"), [("?", "u1"), ("e", "u2"), ("d", "u8"), ("F", "F")])
def test_dtypes_of_one_size_share_a_kernel(cupy, kind, word):
    assert picked_cells.as_words(np.zeros(3, kind)).dtype == np.dtype(word)


def test_nothing_is_launched_for_no_cells(cupy):
    block = runtime.runtime().empty((4,), np.dtype("f8"))
    made = picked_cells.picked(None, block, [], [0], 0, (0,))
    assert made.shape == (0,)
    assert not cupy.launches


def test_the_error_names_the_first_axis_with_a_wrong_place(cupy):
    good, wrong = np.array([0, 1]), np.array([0, -7])
    gpu = runtime.runtime()
    assert picked_cells.refused(gpu, [pick(good, 3)]) is None
    error = picked_cells.refused(gpu, [pick(good, 3), pick(wrong, 3)])
    assert "index -7 is out of bounds" in str(error)


def test_a_launch_has_a_thread_a_cell(cupy):
    block = runtime.runtime().empty((4, 100), np.dtype("f8"))
    numbers = np.array([0, 3, 1]).view(Array)
    one = picked_cells.Pick(numbers, (8, 0), 0, 4, 0, 3)
    picked_cells.picked(None, block, [one], [0, 8], 0, (3, 100))
    ((_, grid, threads, _),) = cupy.launches
    assert (grid, threads) == ((2,), (256,))
