import copy

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.errors import ArgumentError, ShapeError


def test_meta_is_an_empty_block():
    for shape in ((), (3,), (2, 0)):
        meta = dt.zeros(shape, "i2")._meta
        assert type(meta) is np.ndarray
        assert (meta.ndim, meta.dtype) == (len(shape), np.int16)
        assert not meta.size or not shape


def test_a_is_the_computed_value():
    np.testing.assert_array_equal(dt.arange(3).A, [0, 1, 2])


def test_a_deep_copy_is_apart():
    x = dt.arange(3)
    y = copy.deepcopy(x)
    y[0] = 5
    assert x.compute()[0] == 0


def test_pictures():
    x = dt.ones((4, 6), chunks=2)
    assert x.to_svg().startswith("<svg")
    assert "<svg" in x._repr_html_()
    with pytest.raises(ShapeError):
        dt.ones(()).to_svg()
    assert "<svg" not in dt.ones((0, 2))._repr_html_()


def test_the_backend_is_numpys():
    x = dt.ones(2)
    assert x.to_backend("numpy") is x
    with pytest.raises(ArgumentError, match="cupy"):
        x.to_backend("cupy")


def test_a_meta_that_is_set_is_the_dtype():
    x = dt.arange(3) - 1
    x._meta = x._meta
    assert x.dtype == np.int64
    x._meta = np.empty(0, bool)
    assert x.dtype == bool
    np.testing.assert_array_equal(x.compute(), [True, False, True])
