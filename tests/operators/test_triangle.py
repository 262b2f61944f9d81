import numpy as np
import pytest

from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.operators.triangle import half_of, solve_by_halves, triangle_of
from tests.operators.large import KINDS, cells, computed, near


@pytest.mark.parametrize("lower", [False, True])
def test_halves_are_the_matrix_again(lower):
    a = cells((11, 11), "f8")
    triangle = triangle_of(asarray(a).node, 3, lower)
    assert [block.type.shape for block in triangle.blocks()] == [(3, 3)] * 3 + [(2, 2)]
    whole = computed(lambda x: triangle_of(x, 3, lower).matrix(lower), a)
    half = np.tril if lower else np.triu
    np.testing.assert_array_equal(half(whole), half(a))
    squares = np.kron(np.eye(4), np.ones((3, 3)))[:11, :11].astype(bool)
    assert not (whole - half(a))[~squares].any()


@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize("lower", [False, True])
def test_equations(dtype, lower):
    a, b = cells((17, 17), dtype) / 17 + 2 * np.eye(17, dtype=dtype), cells((17, 2), dtype, 1)
    x = computed(solve_by_halves, a, b, width=4, lower=lower)
    near((np.tril(a) if lower else np.triu(a)) @ x, b, dtype)


def test_halves_are_whole_panels():
    assert [half_of(side, 4) for side in (4, 5, 9, 17)] == [0, 4, 4, 8]
