from itertools import pairwise

import numpy as np
import pytest

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.operators import panels
from dask_tapestry.teg.node import topological
from tests.operators.large import cells, computed


def factor(x, *awaited):
    """The factors are the panel, and what is waited for."""
    return (x, *awaited)


def applied(panel, *others):
    """Of the columns behind a panel, its first one is taken away."""
    made, count = Array(others[-1]) - Array(panel)[:, :1], panel.type.shape[1]
    return made[:count].node, made[count:].node


def panels_made(a, width, *right):
    tensors = [asarray(one).node for one in (a, *right)]
    return list(panels.factored(tensors[0], width, factor, applied, *tensors[1:]))


@pytest.mark.parametrize("shape", [(7, 7), (9, 5), (5, 9)])
def test_panels_are_applied_to_what_is_behind_them(shape):
    a = cells(shape, "f8")
    made, rest = panels_made(a, 3), a
    side = min(shape)
    assert [p.columns for p in made] == panels.panels_of(side, 3)
    for panel in made:
        count = panel.width
        np.testing.assert_array_equal(Array(panel.factors[0]).compute(), rest[:, :count])
        rest = rest[:, count:] - (rest[:, :1] if shape[1] > panel.columns.stop else 0)
        np.testing.assert_array_equal(Array(panel.beside).compute(), rest[:count])
        rest = rest[count:]


def test_columns_on_the_right_have_no_panels():
    a, b = cells((5, 5), "f8"), cells((5, 2), "f8", 1)
    made = panels_made(a, 2, b)
    assert [p.beside.type.shape for p in made] == [(2, 5), (2, 3), (1, 2)]
    first = np.concatenate([a[:, 2:], b], axis=1)[:2] - a[:2, :1]
    np.testing.assert_allclose(Array(made[0].beside).compute(), first)


def test_a_panel_waits_for_the_rows_that_the_last_one_made_final():
    made = panels_made(cells((9, 9), "f8"), 3)
    assert len(made[0].factors) == 1
    for last, panel in pairwise(made):
        rows = panel.factors[1:]
        for final, row in zip((last.factors[-1], last.beside), rows, strict=True):
            assert final in topological([row])
            assert row.type.shape == (1, final.type.shape[1])


@pytest.mark.parametrize("dtype", ["f4", "c16"])
def test_less_product_and_its_shapes(dtype):
    x, a, b = cells((6, 5), dtype), cells((6, 3), dtype, 1), cells((3, 5), dtype, 2)
    found = computed(panels.less_product, x, a, b)
    assert found.dtype == x.dtype
    np.testing.assert_allclose(found, x - a @ b, rtol=1e-4)
    np.testing.assert_array_equal(
        computed(panels.less_product, x[:0], a[:0], b), np.empty((0, 5), dtype)
    )


def test_adjoint_and_unit_matrix():
    a = cells((3, 4), "c8")
    np.testing.assert_array_equal(computed(panels.adjoint, a), a.conj().T)
    unit = Array(panels.unit_matrix(3, 4, np.dtype("f4"))).compute()
    np.testing.assert_array_equal(unit, np.eye(3, 4, dtype="f4"))
    assert unit.dtype == np.float32
