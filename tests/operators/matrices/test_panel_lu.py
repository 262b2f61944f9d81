import numpy as np
import pytest

from dask_tapestry.operators.matrices import panel_lu as lu
from dask_tapestry.operators.tuning import PANEL_COUNTS
from dask_tapestry_kernels.cpu.blocks.matrices import packed_lu
from tests.operators.large import KINDS, cells, computed, near


@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize("shape", [(17, 12), (12, 20)])
def test_panels_make_the_triangles_that_a_block_makes(dtype, shape):
    """Pivots are the same, as a panel is whole; so no cell of the lower triangle grows."""
    a = cells(shape, dtype)
    found, whole = computed(lu.lu_by_panels, a, width=5), packed_lu(a)
    near(found, whole, dtype, 1000)
    np.testing.assert_array_equal(found[:, -2:], whole[:, -2:])


def test_as_many_panels_as_a_plan_may_have():
    a = cells((40, 33), "f8")
    found, whole = computed(lu.lu_by_panels, a, width=1), packed_lu(a)
    near(found, whole, "f8", 1000)
    assert len(lu.LETTERS) > max(PANEL_COUNTS)


@pytest.mark.parametrize("dtype", KINDS)
def test_equations_inverses_and_determinants(dtype):
    a, b = cells((24, 24), dtype), cells((24, 2), dtype, 1)
    a += 5 * np.eye(24, dtype=dtype)
    x = computed(lu.solve_by_panels, a, b, width=7)
    near(a @ x, b, dtype)
    near(computed(lu.inverse_by_panels, a, width=7) @ a, np.eye(24), dtype)
    det = computed(lu.determinant_by_panels, a, width=7)
    np.testing.assert_allclose(det, np.linalg.det(a), rtol=1000 * np.finfo(dtype).eps)
    near(
        computed(lu.sign_and_logarithm_by_panels, a, width=7),
        np.stack(np.linalg.slogdet(a)).astype(dtype),
        dtype,
        1000,
    )


def test_growth_is_that_of_partial_pivoting():
    """Wilkinson's matrix, whose last column doubles in each row, and a random one."""
    side = 20
    worst = np.tril(-np.ones((side, side)), -1) + np.eye(side)
    worst[:, -1] = 1
    packed = computed(lu.lu_by_panels, worst, width=6)
    assert packed[-1, side - 1] == 2 ** (side - 1)
    packed = computed(lu.lu_by_panels, cells((60, 60), "f8"), width=16)
    assert abs(np.tril(packed[:, :60], -1)).max() <= 1
    assert abs(packed[:, :60]).max() < 10 * abs(cells((60, 60), "f8")).max()


def test_singular_matrices():
    a = np.ones((12, 12))
    with pytest.raises(np.linalg.LinAlgError, match="Singular"):
        computed(lu.solve_by_panels, a, np.ones((12, 1)), width=5)
    assert computed(lu.determinant_by_panels, a, width=5) == 0
    sign, logarithm = computed(lu.sign_and_logarithm_by_panels, a, width=5)
    assert (sign, logarithm) == (0, -np.inf)
