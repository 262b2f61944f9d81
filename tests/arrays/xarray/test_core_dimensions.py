import numpy as np
import pytest
import xarray as xr

import dask_tapestry as dt

X = xr.DataArray(
    np.random.default_rng(0).random((12, 6, 5)), {"t": np.arange(12)}, ("t", "y", "x"), "a"
)


@pytest.fixture(autouse=True)
def with_our_manager():
    with dt.xarray.use():
        yield


@pytest.mark.parametrize("vectorize", [False, True])
def test_core_dimensions_in_chunks_are_joined(vectorize):
    def span(x):
        return x.max(axis=-1) - x.min(axis=-1)

    how = {"input_core_dims": [["t"]], "dask": "parallelized", "output_dtypes": [float]}
    made = xr.apply_ufunc(span, X.chunk(t=5, y=2), vectorize=vectorize, **how)
    assert isinstance(made.data, dt.Array)
    xr.testing.assert_allclose(made.compute(), X.max("t") - X.min("t"))


def test_functions_of_xarray_that_go_along_a_dimension():
    gaps = X.where(X > 0.2)
    cut = gaps.chunk(t=5, x=2)
    for call in (
        lambda x: x.interpolate_na("t"),
        lambda x: x.quantile([0.1, 0.9], "t"),
        lambda x: x.interp(t=[0.5, 7.25]),
    ):
        made = call(cut)
        assert isinstance(made.data, dt.Array)
        xr.testing.assert_allclose(made.compute(), call(gaps))


def test_arrays_of_dask_are_left_to_xarray():
    import dask.array as da

    theirs = X.copy(data=da.from_array(X.data, 5))
    with pytest.raises(ValueError, match="multiple chunks"):
        xr.apply_ufunc(
            lambda x: x.max(axis=-1),
            theirs,
            input_core_dims=[["t"]],
            dask="parallelized",
            output_dtypes=[float],
        )


def test_a_core_dimension_that_an_argument_lacks_is_named():
    def span(x, y):
        return x.max(axis=-1) - y.max(axis=-1)

    cut = X.chunk(t=5)
    with pytest.raises(dt.ShapeError, match=r"of span: input_core_dims\[1\] is \['t'\].* \('y',"):
        xr.apply_ufunc(
            span, cut, cut.isel(t=0, x=0), input_core_dims=[["t"], ["t"]],
            dask="parallelized", output_dtypes=[float],
        )  # fmt: skip


def test_conversions_that_are_asked_to_be_safe():
    cut = X.chunk(t=5)
    made = cut.astype("f8", casting="safe", order="C", copy=False)
    xr.testing.assert_identical(made.compute(), X)
    with pytest.raises(dt.DTypeError, match="cannot cast float64 to int16 according to the rule"):
        cut.astype("i2", casting="safe")


def test_errors_name_functions_that_a_user_knows():
    def fails(x):
        if x.size > 12:
            raise ValueError("not that many")
        return x

    cut = X.chunk(t=5)
    made = xr.apply_ufunc(fails, cut, dask="parallelized", output_dtypes=[float])
    with pytest.raises(dt.errors.ComputeError, match=r"built at .*\.py:\d+ by apply_gufunc"):
        made.compute()
