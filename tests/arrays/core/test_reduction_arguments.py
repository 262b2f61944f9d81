from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.arrays.core.reduction_arguments import flag, fold_axes, wanted_dtype
from tests.arrays.folding import NUMBERS, REAL, SHAPES, axes_of, check, few, raises_as_numpy, small

PLAIN = ("sum", "prod", "min", "max", "any", "all", "ptp", "count_nonzero")
SPREADS = ("mean", "var", "std")
NANS = ("nansum", "nanprod", "nanmin", "nanmax", "nanmean", "nanvar", "nanstd")
PLACED = ("argmin", "argmax", "nanargmin", "nanargmax")


@few
@given(st.data())
@pytest.mark.parametrize("name", PLAIN)
def test_axes_and_keepdims_mean_what_they_mean_in_numpy(name, data):
    shape = data.draw(SHAPES)
    x = small(data.draw, shape, data.draw(st.sampled_from(NUMBERS)))
    options = {"axis": data.draw(axes_of(shape)), "keepdims": data.draw(st.booleans())}
    check(lambda: getattr(dt, name)(x, **options), lambda: getattr(np, name)(x, **options))


@few
@given(st.data())
@pytest.mark.parametrize("name", ["sum", "prod", "min", "max", "any", "all"])
def test_masks_mean_what_they_mean_in_numpy(name, data):
    shape = data.draw(SHAPES)
    x = small(data.draw, shape, data.draw(st.sampled_from(REAL)))
    part = data.draw(st.sampled_from([shape, shape[1:], tuple(1 for _ in shape), ()]))
    options = {"axis": data.draw(axes_of(shape)), "where": small(data.draw, part, "?")}
    if name not in ("any", "all") and data.draw(st.booleans()):
        options["initial"] = data.draw(st.sampled_from([0, 2, 1.5, True]))
    check(lambda: getattr(dt, name)(x, **options), lambda: getattr(np, name)(x, **options))


@few
@given(st.data())
@pytest.mark.parametrize("name", ["sum", "prod", "min", "max"])
def test_initial_values_mean_what_they_mean_in_numpy(name, data):
    shape = data.draw(SHAPES)
    x = small(data.draw, shape, data.draw(st.sampled_from(REAL[1:])))
    initial = data.draw(st.sampled_from([0, 2, 1.5, True, np.int8(3), None, 300, -0.0]))
    options = {"axis": data.draw(axes_of(shape)), "initial": initial, "keepdims": True}
    check(lambda: getattr(dt, name)(x, **options), lambda: getattr(np, name)(x, **options))


@few
@given(st.data())
@pytest.mark.parametrize("name", ["sum", "prod"])
def test_dtypes_mean_what_they_mean_in_numpy(name, data):
    kinds = [*REAL, "c16", "m8[s]"]
    x = small(data.draw, data.draw(SHAPES), data.draw(st.sampled_from(kinds)))
    dtype = data.draw(st.sampled_from([*REAL, "c16"]))
    check(lambda: getattr(dt, name)(x, dtype=dtype), lambda: getattr(np, name)(x, dtype=dtype))


@pytest.mark.parametrize("name", [*PLAIN, *SPREADS, *NANS, *PLACED])
@pytest.mark.parametrize("axis", [0, -1, 1, -2, (0,), None])
def test_an_array_without_dimensions_has_axis_0_for_folds(name, axis):
    for x, keepdims in product((np.float64(3), np.float16("nan"), np.int8(3)), (False, True)):
        call = {"axis": axis, "keepdims": keepdims}
        check(
            lambda x=x, call=call: getattr(dt, name)(x, **call),
            lambda x=x, call=call: getattr(np, name)(x, **call),
        )


@pytest.mark.parametrize("name", [*SPREADS, "nanmean", "nanvar", "nanstd"])
@pytest.mark.parametrize("axis", [0, -1, 1, (0,)])
def test_with_a_mask_an_array_without_dimensions_has_axis_0(name, axis):
    for part in (np.True_, np.False_):
        call = {"axis": axis, "where": part}
        check(
            lambda call=call: getattr(dt, name)(np.float64(3), **call),
            lambda call=call: getattr(np, name)(np.float64(3), **call),
        )


@pytest.mark.parametrize("name", [*PLAIN, *SPREADS, *NANS])
@pytest.mark.parametrize("axis", [4, -3, (-2, 0), (0, 0), (0, 4), (4, 4), (0, 1), 1])
def test_wrong_axes_are_reported_before_wrong_dtypes(name, axis):
    for shape, dtype in product(((2, 3), (3,), (), (0,)), ("M8[s]", "m8[s]", "U3", "?", "f8")):
        x = np.ones(shape, dtype)
        raises_as_numpy(name, x, axis=axis)
        if name not in ("ptp", "count_nonzero"):
            raises_as_numpy(name, x, axis=axis, where=np.True_)
        if name in ("sum", "mean", "var", "std", "nanprod"):
            raises_as_numpy(name, x, axis=axis, dtype="i8")


@pytest.mark.covering
@pytest.mark.parametrize(
    "cells", [[-0.0], [-0.0, -0.0], [np.inf, -np.inf], [np.nan, 1], [-0.0, 0.0], []]
)
@pytest.mark.parametrize("initial", [{}, {"initial": -0.0}, {"initial": 0.0}])
@pytest.mark.parametrize("where", [{}, {"where": True}, {"where": [False]}, {"where": [True]}])
def test_zeros_have_numpys_sign_and_infinities_their_sum(cells, initial, where):
    x = np.array(cells)
    ours = dt.sum(x, **initial, **where).compute()
    with np.errstate(invalid="ignore"):
        theirs = np.sum(x, **initial, **where)
    assert np.isnan(ours) == np.isnan(theirs)
    assert np.isnan(ours) or (ours == theirs and np.signbit(ours) == np.signbit(theirs))


def test_initial_must_be_a_scalar():
    with pytest.raises(TypeError, match="scalar"):
        dt.sum(np.ones(3), initial=[1])


def test_a_mask_may_be_lazy():
    x = dt.arange(6)
    assert int(x.sum(where=x > 3)) == 9


def test_a_mask_that_is_larger_is_refused():
    with pytest.raises(ValueError, match="broadcast"):
        dt.sum(np.ones(3), where=np.ones((2, 3), bool))


def test_arguments_that_were_not_given():
    assert not flag(np._NoValue)
    assert wanted_dtype(None) is None
    assert fold_axes(0, 0) is None
    assert fold_axes(0, 1) == 0
