import numpy as np
import pytest

import dask_tapestry as dt
from tests.arrays.parity import agreed, refused


@pytest.mark.parametrize(
    "call",
    [
        lambda np, a: np.mgrid[0:3, 0:2],
        lambda np, a: np.mgrid[0:1:5j, 0:3, -1:1],
        lambda np, a: np.mgrid[-1:1:0.5, 3:0:-1],
        lambda np, a: np.mgrid[:4, 1:2:1j],
        lambda np, a: np.mgrid[0:5],
        lambda np, a: np.mgrid[0:5,],
        lambda np, a: np.mgrid[0:3.0],
        lambda np, a: np.mgrid[0 : np.float32(3), 0:2],
        lambda np, a: np.mgrid[2:7:3j],
        lambda np, a: np.mgrid[()],
        lambda np, a: np.ogrid[0:3, 0:1:5j][0],
        lambda np, a: np.ogrid[0:3, 0:1:5j][1],
        lambda np, a: np.ogrid[0:3, 5:2, 1:2][1],
        lambda np, a: np.ogrid[4:0:-3],
    ],
)
def test_grids_as_numpy(call):
    agreed(call)


def test_a_slice_that_ends_before_it_begins():
    refused(lambda np, a: np.mgrid[5:2, 0:3])


@pytest.mark.parametrize("key", [7, slice(3, None), (slice(2), 7), slice(None)])
def test_what_has_no_end_is_named(key):
    with pytest.raises(TypeError, match=r"a slice with an end is needed, as 0:3 or 0:1:5j"):
        dt.ogrid[key]


def test_a_grid_takes_no_memory():
    rows, columns = dt.mgrid[0 : 10**8, 0 : 10**8]
    assert (rows * 2 + columns)[-1, :3].compute().tolist() == [2 * 10**8 - 2 + n for n in range(3)]
    assert repr(dt.mgrid) == "dt.mgrid"


def test_keys_are_numpys():
    assert dt.s_ is np.s_
    assert dt.index_exp is np.index_exp
