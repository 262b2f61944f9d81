import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from tests.arrays.folding import FULL, REAL, check, few, small


@few
@given(st.data())
def test_diff_is_numpys(data):
    x = small(data.draw, data.draw(FULL), data.draw(st.sampled_from(REAL)))
    axis = data.draw(st.integers(-x.ndim, max(x.ndim - 1, 0)))
    options = {"n": data.draw(st.integers(-1, 5)), "axis": axis}
    for end in ("prepend", "append"):
        if data.draw(st.booleans()):
            options[end] = data.draw(st.sampled_from([1, 2.5, x]))
    check(lambda: dt.diff(x, **options), lambda: np.diff(x, **options))


def test_wrong_arguments():
    with pytest.raises(ValueError, match="one dimensional"):
        dt.diff(3.0)
    with pytest.raises(np.exceptions.AxisError):
        dt.diff([1, 2], axis=1)


@pytest.mark.parametrize("ends", [(None, None), (9, None), (None, [1, 2]), ([[3]], 4)])
def test_ediff1d_is_numpys(ends):
    for x in (np.arange(6).reshape(2, 3) ** 2, np.ones(1), np.zeros(0), 3.0):
        check(lambda x=x: dt.ediff1d(x, *ends), lambda x=x: np.ediff1d(x, *ends))


def test_ends_must_fit_the_dtype():
    with pytest.raises(TypeError, match="to_end"):
        dt.ediff1d(np.arange(3), to_end=1.5)
