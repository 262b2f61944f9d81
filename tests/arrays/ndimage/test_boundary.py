import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.ndimage.boundary import checked_mode, padded
from tests.arrays.ndimage.against_scipy import MODES, check, image


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("size", [1, 2, 5])
def test_windows_may_reach_further_than_the_array(mode, size):
    x = image((size, 3), "f8")
    for origin in (-6, 0, 6):
        check("correlate1d", x, np.arange(1.0, 14), axis=0, mode=mode, cval=2.0, origin=origin)


@pytest.mark.parametrize(
    ("dtype", "cval", "kept"),
    [
        ("u1", 3.0, True),
        ("u1", 256.0, False),
        ("u1", -1.0, False),
        ("i4", 0.5, False),
        ("i4", np.nan, False),
        ("f4", 0.5, True),
        ("f4", 0.1, False),
        ("f4", np.nan, True),
        ("?", 1.0, True),
        ("?", 2.0, False),
    ],
)
def test_a_constant_that_is_no_cell_makes_doubles(dtype, cval, kept):
    made = padded(dt.ones(3, dtype).node, [(1, 1)], ["constant"], cval)
    assert made.type.dtype == (dtype if kept else "f8")
    np.testing.assert_equal(float(dt.Array(made)[0].compute()), cval)


def test_an_unknown_mode_is_answered_with_a_known_one():
    with pytest.raises(RuntimeError, match=r"f: mode must be .*'reflct'; did you mean 'reflect'"):
        checked_mode("f", "reflct")
    with pytest.raises(RuntimeError, match="a sequence of modes"):
        checked_mode("f", ["reflect"])
