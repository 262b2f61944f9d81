from warnings import catch_warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from tests.arrays.folding import NUMBERS, REAL, SHAPES, axes_of, check, few, small

CELLS = np.random.default_rng(0).normal(size=(6, 5, 4))


@few
@given(st.data())
@pytest.mark.parametrize("name", ["mean", "var", "std"])
def test_axes_dtypes_and_masks_mean_what_they_mean_in_numpy(name, data):
    shape = data.draw(SHAPES)
    x = small(data.draw, shape, data.draw(st.sampled_from(NUMBERS)))
    options = {"axis": data.draw(axes_of(shape)), "keepdims": data.draw(st.booleans())}
    if data.draw(st.booleans()):
        part = data.draw(st.sampled_from([shape, shape[1:], ()]))
        options["where"] = small(data.draw, part, "?")
    if data.draw(st.booleans()):
        options["dtype"] = data.draw(st.sampled_from(["f4", "f8", "c16"]))
    if name != "mean":
        options["ddof"] = data.draw(st.sampled_from([0, 1, 0.5]))
    rtol = 2e-3 if "f2" in (x.dtype.str[1:], options.get("dtype")) else 1e-5
    check(lambda: getattr(dt, name)(x, **options), lambda: getattr(np, name)(x, **options), rtol)


@few
@given(st.data())
@pytest.mark.parametrize("name", ["mean", "var", "std"])
def test_integer_dtypes_truncate_as_in_numpy(name, data):
    x = small(data.draw, (data.draw(st.integers(1, 5)),), data.draw(st.sampled_from(REAL[1:])))
    dtype = data.draw(st.sampled_from(["i4", "i8"]))
    check(lambda: getattr(dt, name)(x, dtype=dtype), lambda: getattr(np, name)(x, dtype=dtype))


@pytest.mark.parametrize("name", ["std", "nanstd"])
@pytest.mark.parametrize("options", [{}, {"axis": 1}, {"keepdims": True}])
def test_only_one_root_is_truncated(name, options):
    x = np.arange(6).reshape(2, 3)
    check(
        lambda: getattr(dt, name)(x, dtype="i8", **options),
        lambda: getattr(np, name)(x, dtype="i8", **options),
    )


@pytest.mark.parametrize("name", ["var", "std"])
@pytest.mark.parametrize("axis", [None, 0, (1, 2)])
def test_a_known_mean_is_used(name, axis):
    for x in (CELLS, CELLS.astype("f4"), CELLS + 1j * CELLS[::-1], np.arange(24).reshape(2, 3, 4)):
        known = x.mean(axis=axis, keepdims=True) + 1
        check(
            lambda x=x, known=known: getattr(dt, name)(x, axis=axis, mean=known),
            lambda x=x, known=known: getattr(np, name)(x, axis=axis, mean=known),
        )


@pytest.mark.parametrize("kind", ["f2", "f4", "f8", "i2", "u1"])
@pytest.mark.parametrize("ddof", [0, 1, 2.5, 9])
@pytest.mark.parametrize("dtype", [None, "f4", "f8"])
def test_a_mask_names_what_spreads(kind, ddof, dtype):
    """Columns: NaN named, NaN not named, infinity, one cell named, none, all, alike cells."""
    x = np.random.default_rng(0).integers(0, 50, (6, 7)).astype(kind)
    mask = np.random.default_rng(1).random((6, 7)) < 0.7
    mask[:, 3], mask[2, 3], mask[:, 4], mask[:, 5], x[:, 6] = False, True, False, True, 3
    if np.dtype(kind).kind == "f":
        x[1, 0], mask[1, 0], x[1, 1], mask[1, 1] = np.nan, True, np.nan, False
        x[2, 2], mask[2, 2] = np.inf, True
    with np.errstate(all="ignore"), catch_warnings(action="ignore"):
        for name in ("var", "std"):
            for axis in (None, 0, 1):
                options = {"axis": axis, "ddof": ddof, "dtype": dtype, "where": mask}
                wanted = getattr(np, name)(x, **options)
                found = getattr(dt, name)(x, **options).compute()
                rtol = 2e-3 if kind == "f2" and dtype is None else 1e-5
                np.testing.assert_allclose(found, wanted, rtol=rtol)
                assert found.dtype == wanted.dtype


def test_what_is_chosen_by_its_own_cells_is_read_once():
    x = dt.placeholder((4_000_000, 128), "f4", stored_chunks=(20_000, 128))
    resources = dt.Resources(2, 1, "500 MB")
    for spread in (x[dt.sqrt((x**2).sum(1)) > 11].std(axis=0), x.std(axis=0, where=x > 0)):
        assert dt.plan(spread, resources=resources).cost["bytes_read"] < 1.05 * x.nbytes


def test_ddof_and_correction_are_one_argument():
    np.testing.assert_allclose(dt.var(CELLS, correction=1).compute(), np.var(CELLS, ddof=1))
    with pytest.raises(ValueError, match="simultaneously"):
        dt.var(CELLS, ddof=1, correction=1)


def test_durations_have_means():
    for x in (np.array([1, 2, 6], "m8[s]"), np.array([1, "NaT"], "m8[s]")):
        check(lambda x=x: dt.mean(x), lambda x=x: np.mean(x))
    x = np.array([1, 2, 6], "m8[s]")
    where = {"where": [True, True, False]}
    check(lambda: dt.mean(x, **where), lambda: np.mean(x, **where))


@pytest.mark.parametrize("name", ["mean", "var", "std"])
@pytest.mark.parametrize("x", [np.array(["a"]), np.array([1], "M8[s]")])
def test_what_has_no_mean_is_refused(name, x):
    for options in ({}, {"where": [True]}):
        check(
            lambda options=options: getattr(dt, name)(x, **options),
            lambda options=options: getattr(np, name)(x, **options),
        )


def test_an_array_without_dimensions_has_no_axis_here():
    for name in ("mean", "var", "std"):
        with pytest.raises(np.exceptions.AxisError):
            getattr(dt, name)(3.0, axis=0)


def test_nothing_has_no_mean():
    assert np.isnan(dt.mean(np.zeros(0)).compute())
    assert np.isnan(dt.var(np.zeros(0)).compute())
    assert np.isnan(dt.var(np.ones(2), ddof=2).compute())
    assert dt.var(np.array([1.0, 2.0]), ddof=3).compute() == np.inf
