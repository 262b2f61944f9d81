import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from tests.array.folding import SHAPES, axes_of, check, few, outcome, raises_as_numpy, small
from tests.comparisons import same_bits

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


@pytest.mark.parametrize("dtype", ["i4", "i8"])
@pytest.mark.parametrize("name", ["nanmean", "nanvar"])
def test_inexact_cells_take_inexact_dtypes(name, dtype):
    for x in (np.arange(4.0), np.arange(4)):
        _, error = outcome(lambda x=x: getattr(np, name)(x, dtype=dtype))
        if error is None:
            check(
                lambda x=x: getattr(dt, name)(x, dtype=dtype),
                lambda x=x: getattr(np, name)(x, dtype=dtype),
            )
            continue
        with pytest.raises(TypeError, match="inexact"):
            getattr(dt, name)(x, dtype=dtype)


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


def pieces(dtype):
    """Cells of all magnitudes, most of them NaN: whole leaves, lines and boxes without a number."""
    random = np.random.default_rng(5)
    x = random.normal(size=(70, 53)) * 10.0 ** random.integers(-3, 3, (70, 53))
    x[random.random(x.shape) < 0.3] = np.nan
    x[:40, :40] = x[:, 50] = x[61] = np.nan
    return (x + 1j * x[::-1]).astype(dtype) if dtype[0] == "c" else x.astype(dtype)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "c16"])
@pytest.mark.parametrize("name", ["nanmean", "nanvar", "nanstd", "ptp"])
def test_in_one_pass_they_have_one_value_for_all_shardings(name, dtype, shardings):
    x = pieces(dtype)
    for axis in (None, 0, 1):
        whole = getattr(dt, name)(x, axis=axis).compute(scheduler="sync")
        for chunks in ((1, 53), (70, 1), (7, 5), (33, 31), (64, 2)):
            made = getattr(dt, name)(dt.asarray(x).rechunk(chunks), axis=axis)
            assert same_bits(made.compute(scheduler="sync"), whole), chunks
        with shardings.tiny(100, 2, 1):
            assert same_bits(getattr(dt, name)(x, axis=axis).compute(scheduler="sync"), whole)
        check(
            lambda axis=axis: getattr(dt, name)(x, axis=axis),
            lambda axis=axis: in_single(getattr(np, name), x, axis),
            1e-5,
        )


def in_single(function, x, axis):
    """NumPy's value; of float16, what it would be without overflow of squares of deviations."""
    if x.dtype == np.float16:
        return np.asarray(function(x.astype("f4"), axis=axis)).astype("f2")
    return function(x, axis=axis)


@pytest.mark.parametrize("name", ["nanmean", "nanvar", "nanstd", "ptp"])
def test_the_cells_are_read_once(name):
    for x in (np.ones((4, 5)), np.ones((4, 5), "f2")):
        node = getattr(dt, name)(x, axis=1).node
        assert node.operator.monoid == name
        assert not node.inputs[0].inputs


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("name", ["nanmean", "nanvar", "nanstd"])
def test_dtypes_that_are_asked_for_are_numpys(name, dtype):
    for given_dtype in ("f2", "f4", "c16"):
        x = np.array([[1, np.nan, 4], [np.nan, np.nan, np.nan], [2, 3, 5]], given_dtype)
        check(
            lambda x=x: getattr(dt, name)(x, axis=1, dtype=dtype),
            lambda x=x: getattr(np, name)(x, axis=1, dtype=dtype),
            1e-3 if given_dtype == "f2" else 1e-5,  # NumPy's deviations are of that dtype
        )


@pytest.mark.parametrize("axis", [(), (0,), (0, 0), (0, 4), (4, 4), 4])
@pytest.mark.parametrize("name", ["nanargmin", "nanargmax"])
def test_wrong_axes_are_reported_before_several(name, axis):
    for x in (np.ones(3), np.ones((2, 3)), np.ones(3, "i4"), np.ones((0, 2))):
        raises_as_numpy(name, x, axis=axis)
