import numpy as np
import pytest

import dask_tapestry as dt

from .masked_samples import KINDS, agree, ours, sample


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("mask", [True, False, np.ma.nomask, None, [1, 0, 0, 1, 0]])
def test_cells_and_mask(kind, mask):
    cells = sample(kind, (5,)).data
    told = np.ma.nomask if mask is None else mask
    agree(dt.ma.masked_array(cells, mask), np.ma.masked_array(cells, told), beneath=True)


def test_masks_add_up():
    x = sample("i4", (5,))
    mask = [1, 0, 0, 1, 0]
    for keep in (True, False):
        made = dt.ma.masked_array(ours(x), mask, keep_mask=keep)
        agree(made, np.ma.masked_array(x, mask, keep_mask=keep))


def test_numpy_arrays_with_a_mask_are_sources():
    x = sample("f8")
    made = dt.from_array(x, chunks=(2, 5))
    assert isinstance(made, dt.ma.MaskedArray)
    assert made.numblocks == (2, 1)
    agree(made, x)
    agree(dt.ma.asarray(x, "f4"), np.ma.asarray(x, "f4"))
    assert dt.ma.asarray(made) is made
    with pytest.raises(dt.DTypeError, match="masked"):
        dt.asarray(x)


def test_dtype_dimensions_and_copy():
    cells = np.arange(3)
    made = dt.ma.masked_array(cells, [0, 1, 0], dtype="f4", ndmin=2, copy=True, fill_value=5)
    cells[:] = 9
    agree(made, np.ma.array([0, 1, 2], mask=[0, 1, 0], dtype="f4", ndmin=2))
    assert made.fill_value == 5


def test_what_is_refused():
    with pytest.raises(dt.ShapeError, match="data size is 3, mask size is 2"):
        dt.ma.masked_array([1, 2, 3], [0, 1])
    with pytest.raises(dt.ArgumentError, match="hard masks"):
        dt.ma.masked_array([1], hard_mask=True)
    with pytest.raises(dt.ArgumentError, match="scalar"):
        dt.ma.masked_array([1], fill_value=[1, 2])


@pytest.mark.parametrize("name", ["ones_like", "zeros_like", "empty_like"])
def test_like_another(name):
    x = sample("f8")
    wanted = getattr(np.ma, name)(x)
    made = getattr(dt.ma, name)(ours(x))
    assert (made.dtype, made.shape) == (wanted.dtype, wanted.shape)
    assert np.array_equal(made.mask.compute(), x.mask)
    if name != "empty_like":
        agree(made, wanted, beneath=True)


def test_array_has_numpys_order():
    made = dt.ma.array([1, 2, 3], "f4", mask=[0, 1, 0])
    assert (made.dtype, made.mask.tolist()) == (np.dtype("f4"), [False, True, False])
