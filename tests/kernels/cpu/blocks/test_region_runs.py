import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import ndimage

from dask_tapestry_kernels.cpu.blocks import region_runs, region_runs_compiled
from dask_tapestry_kernels.cpu.jit import compile_service


@st.composite
def problems(draw):
    """Cells and a structure, of one to four dimensions."""
    shape = tuple(draw(st.lists(st.integers(1, 7), min_size=1, max_size=4)))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    structure = random.random((3,) * len(shape)) < draw(st.sampled_from([0.2, 0.6]))
    cells = random.random(shape) < draw(st.sampled_from([0.3, 0.6, 0.9]))
    return cells, structure | np.flip(structure)


@pytest.mark.parametrize("mode", ["off", "wait"])
@given(problems())
def test_blocks_are_numbered_as_scipy_numbers_them(mode, problem):
    cells, structure = problem
    expected, count = ndimage.label(cells, structure)
    out = np.full(cells.shape, -1, np.int32)
    with compile_service.mode(mode), pytest.MonkeyPatch.context() as patch:
        patch.setattr(region_runs_compiled, "SMALL", 0)
        assert region_runs.label_block(out, cells, structure) == count
    np.testing.assert_array_equal(out, expected)


def test_a_block_without_cells_has_no_regions():
    none = np.zeros((0, 3), bool)
    assert region_runs.label_block(none.astype(np.int32), none, np.ones((3, 3), bool)) == 0


def test_what_is_touched_of_lines_before():
    cross = ndimage.generate_binary_structure(3, 1)
    assert [reach.line for reach in region_runs.reaches(cross)] == [(-1, 0), (0, -1)]
    assert region_runs.reaches(np.zeros((3, 3))) == ()
