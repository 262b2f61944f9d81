import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.matrices.panel_cholesky import cholesky_by_panels
from dask_tapestry.operators.tuning import MOST_PRODUCTS
from tests.operators.large import KINDS, computed, definite, near


@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize("upper", [False, True])
def test_panels_make_numpys_triangle(dtype, upper):
    a = definite(30, dtype)
    looked_at = np.triu(a) if upper else np.tril(a)  # the other half may hold anything
    found = computed(cholesky_by_panels, looked_at, width=7, upper=upper)
    near(found, np.linalg.cholesky(a, upper=upper), dtype)


def test_what_is_not_positive_definite_is_told():
    a = definite(20, "f8")
    a[15, 15] = -1
    with pytest.raises(np.linalg.LinAlgError, match="not positive definite"):
        computed(cholesky_by_panels, a, width=7)


def test_tiles_are_made_once_of_those_before_them():
    """A panel takes three steps; none sends a part of a tile, and none has tiles above another."""
    x = dt.asarray(definite(16, "f8"))
    made = dt.Array(cholesky_by_panels(x.node, 4)).teg
    tiles = [n for n in made if n.operator.name == "paneltiles"]
    kernels = [n.operator.kernel for n in tiles]
    assert kernels.count("choleskycorner") == 4
    assert kernels.count("choleskybelow") == 3
    assert kernels.count("lessproducts") == 2
    cuts = {n.operator.kernel: n.operator.layout for n in tiles if n.type.shape[0] % 4 == 0}
    assert all(rows.step == 4 and columns.count == 1 for rows, columns in cuts.values())
    cells_below = sum(n.type.size for n in tiles if n.operator.kernel != "lessproducts")
    assert cells_below == 10 * 16  # of tiles, as those above the diagonal are not made


def test_a_tile_waits_with_few_others():
    x = dt.asarray(definite(16 * (MOST_PRODUCTS + 3), "f8"))
    tiles = [n for n in dt.Array(cholesky_by_panels(x.node, 16)).teg if n.inputs]
    assert (
        max(len(n.inputs) for n in tiles if n.operator.name == "paneltiles")
        <= 2 * MOST_PRODUCTS + 1
    )


def test_many_panels_make_numpys_triangle():
    a = definite(4 * (2 * MOST_PRODUCTS + 5), "f8")
    near(computed(cholesky_by_panels, a, width=4), np.linalg.cholesky(a), "f8")
