import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.ma.parts import (
    call,
    cells_of,
    checked_fill,
    chosen,
    combined_mask,
    fill_of,
    fitting_fill,
    mask_of,
    spread,
)

TRUE, FALSE = dt.asarray([True]), dt.asarray([False])


def test_cells_mask_and_fill_value_of_anything():
    x = np.ma.masked_array([1, 2], [0, 1], fill_value=7)
    for one in (x, dt.ma.masked_array(x)):
        assert cells_of(one).compute().tolist() == [1, 2]
        assert mask_of(one).compute().tolist() == [False, True]
        assert fill_of(one) == 7
    assert mask_of([1]) is fill_of([1]) is fill_of(np.ma.masked_array([1])) is None
    with pytest.raises(dt.DTypeError, match="each field"):
        mask_of(np.ma.masked_array([(1, 2)], mask=[(0, 1)], dtype="i4,i4"))


def test_fill_values():
    assert checked_fill(None, np.dtype("f8")) == 1e20
    assert checked_fill(3, np.dtype("i1")) == 3
    assert fitting_fill("a", np.dtype("f8")) is fitting_fill(None, np.dtype("f8")) is None
    with pytest.raises(dt.DTypeError):
        checked_fill("a", np.dtype("f8"))


def test_masks_are_joined_and_spread():
    assert combined_mask(None, None) is None
    assert combined_mask(None, TRUE) is TRUE
    assert combined_mask(TRUE, FALSE).compute().tolist() == [True]
    assert spread(None, (2,)) is None
    assert spread(TRUE, (2,)).shape == (2,)
    assert chosen(None, 1, TRUE) is TRUE
    assert chosen(TRUE, 5, dt.asarray([1, 2])).compute().tolist() == [5, 5]
    assert call("add", dt.ones(2), 1).compute().tolist() == [2, 2]


def test_an_object_of_xarrays_may_hold_a_masked_array():
    xarray = pytest.importorskip("xarray")
    masked = dt.ma.masked_array(dt.asarray([1.0, 2.0, 9.0]), mask=[0, 0, 1], fill_value=7.0)
    held = xarray.DataArray(np.zeros(3), dims="x") - masked
    assert isinstance(held.data, dt.ma.MaskedArray)
    assert dt.ma.filled(held, 0.0).compute().tolist() == [-1, -2, 0]
    assert dt.ma.getmaskarray(held).compute().tolist() == [False, False, True]
    assert dt.ma.asarray(xarray.DataArray(masked, dims="x")).filled().compute()[2] == 7
