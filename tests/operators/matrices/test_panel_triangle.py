import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.matrices.panel_cholesky import cholesky_by_panels
from dask_tapestry.operators.matrices.panel_triangle import solve_triangle_by_panels
from tests.operators.large import KINDS, cells, computed, definite, near


@pytest.mark.covering
@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("width", [4, 17])
def test_equations(dtype, lower, width):
    a, b = cells((17, 17), dtype) / 17 + 2 * np.eye(17, dtype=dtype), cells((17, 2), dtype, 1)
    x = computed(solve_triangle_by_panels, a, b, width=width, lower=lower)
    near((np.tril(a) if lower else np.triu(a)) @ x, b, dtype)


def test_a_real_triangle_solves_for_complex_numbers():
    a, b = cells((9, 9), "f4") / 9 + 2 * np.eye(9, dtype="f4"), cells((9, 3), "c8")
    x = computed(solve_triangle_by_panels, a, b, width=4, lower=True)
    near(np.tril(a) @ x, b, "c8")
    near(computed(solve_triangle_by_panels, b[:, :1] * 0 + a, b, width=4, lower=True), x, "c8")


def test_zeros_on_the_diagonal_are_told():
    a = np.tril(np.ones((9, 9)))
    a[6, 6] = 0
    with pytest.raises(np.linalg.LinAlgError, match="Singular"):
        computed(solve_triangle_by_panels, a, np.ones((9, 1)), width=4, lower=True)


def test_a_step_reads_no_joined_panel_that_it_does_not_meet():
    """Else the program of each step would have all panels of a factor."""
    factor = cholesky_by_panels(dt.asarray(definite(40, "f8")).node, 4)
    x = solve_triangle_by_panels(factor, dt.asarray(cells((40, 1), "f8")).node, 4, lower=True)
    steps = [n for n in dt.Array(x).teg if n.operator.name == "paneltiles"]
    solving = [n for n in steps if n.operator.kernel in ("solvetriangle", "lesssolved")]
    assert len(solving) == 19
    assert not any(y.operator.name == "concat" for n in solving for y in n.inputs)
