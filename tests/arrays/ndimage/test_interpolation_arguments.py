import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.ndimage.interpolation_arguments import Interpolation
from dask_tapestry.arrays.tuning import SPLINE_PAD

CALLS = {
    "zoom": lambda x, **how: dt.ndimage.zoom(x, 2, **how),
    "shift": lambda x, **how: dt.ndimage.shift(x, 0.5, **how),
}


@pytest.mark.parametrize("name", CALLS)
def test_bad_arguments(name):
    call = CALLS[name]
    for options, words in (
        ({"order": 6}, "spline order not supported: 6, must be 0 to 5"),
        ({"order": -1}, "spline order not supported: -1"),
        ({"mode": "miror"}, "mode must be one of .* did you mean 'mirror'"),
    ):
        with pytest.raises(RuntimeError, match=f"{name}: {words}"):
            call(dt.ones((3, 4)), **options)
    with pytest.raises(RuntimeError, match=f"{name}: input and output rank must be > 0"):
        call(dt.asarray(3.0))
    with pytest.raises(ValueError, match=f"{name}: cval cannot be complex"):
        call(dt.ones((3, 4)), cval=1j)
    with pytest.raises(TypeError, match=f"{name}: cells must be numbers"):
        call(dt.asarray(np.zeros((3, 4), "M8[s]")))
    with pytest.raises(TypeError, match=f"{name}: output must be a dtype"):
        call(dt.ones((3, 4)), output=np.zeros((3, 4)))


def test_axes_whose_ends_no_filter_knows_are_padded():
    x = dt.ones((5, 6)).node
    for mode, pad in (("nearest", SPLINE_PAD), ("grid-constant", SPLINE_PAD), ("grid-wrap", 0)):
        found, before = Interpolation.of("zoom", 3, mode, 0, True).coefficients(x, 0.0, [1])
        assert before == pad
        assert found.type.shape == (5, 6 + 2 * pad)
        assert found.type.dtype == "f8"
    found, before = Interpolation.of("zoom", 3, "nearest", 0, False).coefficients(x, 0.0, [1])
    assert (found, before) == (x, 0)


def test_no_cells():
    for name, call in CALLS.items():
        for mode in ("constant", "nearest"):
            shape = (0, 6) if name == "zoom" else (0, 3)
            assert call(dt.ones((0, 3)), mode=mode).compute().shape == shape


def test_float16():
    x = np.random.default_rng(0).random((5, 6)).astype("f2")
    found, wide = (dt.ndimage.zoom(one, 2).compute() for one in (x, x.astype("f8")))
    assert found.dtype == "f2"
    np.testing.assert_array_equal(found, wide.astype("f2"))
