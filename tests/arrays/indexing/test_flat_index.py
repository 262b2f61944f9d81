import numpy as np
import pytest

import dask_tapestry as dt
from tests.arrays.parity import agreed, refused

PLACES = np.array([[0, 5, 23], [7, 11, 3]])


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("shape", [(2, 3, 4), (24,), (6, 4)])
def test_coordinates_and_back(shape, order):
    agreed(lambda np, a: np.unravel_index(a(PLACES), shape, order))
    agreed(lambda np, a: np.unravel_index(a(5), shape, order))
    coordinates = np.unravel_index(PLACES, shape, order)
    agreed(lambda np, a: np.ravel_multi_index([a(c) for c in coordinates], shape, order=order))


@pytest.mark.parametrize("mode", ["wrap", "clip", ("clip", "wrap")])
def test_coordinates_out_of_bounds(mode):
    rows, columns = np.array([-1, 0, 5]), np.array([[3], [-7]])
    agreed(lambda np, a: np.ravel_multi_index((a(rows), a(columns)), (3, 4), mode))


@pytest.mark.parametrize("mode", ["raise", "wrap", "clip"])
def test_a_dimension_without_cells_has_no_coordinates(mode):
    agreed(lambda np, a: np.ravel_multi_index((a([], int), a([], int)), (2, 0), mode))
    with pytest.raises(ValueError, match="invalid entry"):
        dt.ravel_multi_index((dt.asarray([0]), dt.asarray([0])), (2, 0), mode).compute()


def test_what_is_out_of_bounds_is_refused_when_computed():
    for places in ([6], [-1]):
        with pytest.raises(ValueError, match="out of bounds"):
            dt.unravel_index(dt.asarray(places), (2, 3))[0].compute()
    with pytest.raises(ValueError, match="invalid entry"):
        dt.ravel_multi_index(([2], [0]), (2, 3)).compute()


@pytest.mark.parametrize(
    "call",
    [
        lambda np, a: np.unravel_index(a([1.5]), (2, 3)),
        lambda np, a: np.unravel_index(a([1]), (2, 3), "K"),
        lambda np, a: np.ravel_multi_index((a([1]),), (2, 3)),
        lambda np, a: np.ravel_multi_index((a([1.0]), a([1])), (2, 3)),
        lambda np, a: np.ravel_multi_index((a([1]), a([1])), (2, 3), mode="mirror"),
        lambda np, a: np.unravel_index(a([]), (2, 3)),
        lambda np, a: np.unravel_index([], (2, 3)),
        lambda np, a: np.unravel_index(1, (2**32 - 1, 2**31 + 1)),
        lambda np, a: np.unravel_index(a([0]), ()),
        lambda np, a: np.ravel_multi_index((a([0]), a([0])), (2**62, 2)),
    ],
)
def test_what_numpy_refuses(call):
    refused(call)
