import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from tests.arrays.folding import SHAPES, axes_of, check, few, raises_as_numpy, small

FOLDS = ("nansum", "nanprod", "nanmin", "nanmax", "nanmean", "nanvar", "nanstd")


def holed(draw, dtype):
    """Small cells, some NaN where the dtype has it."""
    shape = draw(SHAPES)
    x = small(draw, shape, dtype)
    if x.dtype.kind in "fc":
        x[small(draw, shape, "?")] = np.nan
    return x


@few
@given(st.data())
@pytest.mark.parametrize("name", FOLDS)
def test_they_are_numpys(name, data):
    x = holed(data.draw, data.draw(st.sampled_from(["i4", "f2", "f4", "f8", "c16"])))
    options = {"axis": data.draw(axes_of(x.shape)), "keepdims": data.draw(st.booleans())}
    if data.draw(st.booleans()):
        options["where"] = small(data.draw, x.shape, "?")
        if name in ("nanmin", "nanmax"):
            options["initial"] = 2
    if name in ("nanvar", "nanstd"):
        options["ddof"] = data.draw(st.sampled_from([0, 1, 3]))
    rtol = 2e-3 if x.dtype == np.float16 else 1e-5
    check(lambda: getattr(dt, name)(x, **options), lambda: getattr(np, name)(x, **options), rtol)


@few
@given(st.data())
@pytest.mark.parametrize("name", ["nanargmin", "nanargmax"])
def test_places_are_numpys_or_there_is_no_number(name, data):
    x = holed(data.draw, data.draw(st.sampled_from(["i4", "f4", "f8", "c16"])))
    axis = data.draw(st.one_of(st.none(), st.integers(-x.ndim, x.ndim - 1))) if x.ndim else None
    options = {"axis": axis, "keepdims": data.draw(st.booleans())}
    check(lambda: getattr(dt, name)(x, **options), lambda: getattr(np, name)(x, **options))


@pytest.mark.parametrize("name", ["nanargmin", "nanargmax"])
def test_a_slice_of_nans_raises_when_it_is_computed(name):
    lazy = getattr(dt, name)(np.array([[1.0, 2.0], [np.nan, np.nan]]), axis=1)
    assert lazy.shape == (2,)
    with pytest.raises(ValueError, match="All-NaN slice encountered"):
        lazy.compute()


def test_out_and_a_known_mean():
    x = np.array([[1.0, np.nan, 4.0], [2.0, 3.0, np.nan]])
    out = dt.zeros(2)
    assert dt.nansum(x, axis=1, out=out) is out
    assert out.compute().tolist() == [5, 5]
    known = np.nanmean(x, axis=1, keepdims=True)
    check(lambda: dt.nanvar(x, axis=1, mean=known), lambda: np.nanvar(x, axis=1))
    check(lambda: dt.nanstd(x, axis=1, correction=1), lambda: np.nanstd(x, axis=1, ddof=1))
    assert dt.nanstd(x, axis=1, out=out) is out


def test_times_that_are_none_are_left_out():
    x = np.array(["NaT", 3, 1], "M8[s]")
    check(lambda: dt.nanmin(x), lambda: np.nanmin(x))
    check(lambda: dt.nanmax(x), lambda: np.nanmax(x))


@pytest.mark.parametrize("axis", [(), (0,), (0, 0), (0, 4), (4, 4), 4])
@pytest.mark.parametrize("name", ["nanargmin", "nanargmax"])
def test_wrong_axes_are_reported_before_several(name, axis):
    for x in (np.ones(3), np.ones((2, 3)), np.ones(3, "i4"), np.ones((0, 2))):
        raises_as_numpy(name, x, axis=axis)


@pytest.mark.parametrize(
    "name", ["nansum", "nanprod", "nanmin", "nanmax", "nanargmin", "nanargmax"]
)
@pytest.mark.parametrize("axis", [None, 0, 1])
def test_nan_among_python_objects(name, axis):
    x = np.array([[np.nan, 1, 2], [7, np.nan, 5], [0, 3, np.nan]], object)
    made = getattr(dt, name)(dt.from_array(x, chunks=2), axis=axis).compute()
    np.testing.assert_array_equal(made, getattr(np, name)(x, axis=axis))


@pytest.mark.parametrize("name", ["nansum", "nanprod", "nanmin", "nanmax"])
@pytest.mark.filterwarnings("ignore:All-NaN")
def test_nothing_but_nan_among_python_objects(name):
    x = np.array([[np.nan, 1], [np.nan, 2]], object)
    made, expected = getattr(dt, name)(x, axis=0), getattr(np, name)(x, axis=0)
    assert list(map(str, made.compute())) == list(map(str, expected))
