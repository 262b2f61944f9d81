import numpy as np
import pytest

import dask_tapestry as dt
from tests.arrays.ndimage.against_scipy import check, image


@pytest.mark.parametrize("kind", ["f4", "f8"])
@pytest.mark.parametrize("weights", [[1, 2, 1], [1, 0, -1], [1, 2, 3], [1, 2], [5], [0, 0, 0]])
def test_terms_are_in_scipys_order(kind, weights):
    """Where both round each step alike, bits are the same ones."""
    check("correlate1d", image((30, 50), kind) * 1e3, weights, bound=0)
    check("correlate1d", image((30, 50), kind) * 1e3, weights, axis=0, bound=0)


@pytest.mark.parametrize(("cells", "weights"), [("c16", "f8"), ("f8", "c16"), ("c8", "c16")])
def test_complex_ones_are_made_of_their_parts(cells, weights):
    x, w = image((6, 9), cells), image((3,), weights, 1)
    for mode in ("reflect", "constant"):
        check("correlate1d", x, w, mode=mode, cval=1.5 + 2j if cells[0] == "c" else 1.5)
        check("convolve", x, w[:, None] * w, mode=mode)


def test_infinite_parts_stay_apart():
    x = np.array([1 + 1j, complex(np.inf, 2), 3])
    found = dt.ndimage.correlate1d(dt.asarray(x), [1.0]).compute()
    np.testing.assert_array_equal(found, x)


def test_a_complex_constant_of_real_cells_is_refused():
    with pytest.raises(ValueError, match="cval cannot be complex"):
        dt.ndimage.correlate1d(dt.ones(3), [1, 2], mode="constant", cval=1j)
