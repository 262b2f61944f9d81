"""Functions of `xarray.map_blocks`: each has its own values, in the dtypes of its template."""

import numpy as np
import pytest
import xarray as xr

import dask_tapestry as dt
from dask_tapestry.arrays.xarray.template_function import TemplateFunction, dtypes_of
from dask_tapestry.errors import ComputeError

X = xr.DataArray(np.arange(6.0), dims="x", name="a")


@pytest.fixture(autouse=True)
def with_our_manager():
    with dt.xarray.use():
        yield


def test_functions_of_one_name_have_values_of_their_own():
    x = X.chunk(x=3)
    more, tenfold = (
        xr.map_blocks(func, x, template=x) for func in (lambda b: b + 1, lambda b: b * 10)
    )
    np.testing.assert_array_equal(more.values, X + 1)
    np.testing.assert_array_equal(tenfold.values, X * 10)
    np.testing.assert_array_equal((tenfold - more).values, X * 9 - 1)


def test_a_function_of_the_same_code_and_template_is_the_same():
    names = [TemplateFunction(np.sin, {None: np.dtype(one)}).__name__ for one in ("f8", "f8", "f4")]
    assert names[0] == names[1] != names[2]


def test_values_are_in_the_dtypes_of_the_template():
    x = X.astype("f4").chunk(x=3)
    assert x.map_blocks(lambda b: b.astype("f8"), template=x).values.dtype == "f4"
    both = x.to_dataset().assign(b=x * 2)
    found = both.map_blocks(lambda ds: ds.astype("f8") + 1, template=both).compute()
    assert {name: one.dtype for name, one in found.items()} == {"a": "f4", "b": "f4"}
    np.testing.assert_array_equal(found.b, X * 2 + 1)


def test_a_template_that_could_not_hold_the_values_is_refused():
    def waves(block):
        return np.exp(1j * block)

    x = X.chunk(x=3)
    with pytest.raises(ComputeError, match="returned an array of complex128") as caught:
        x.map_blocks(waves, template=x).compute()
    assert isinstance(caught.value, TypeError)
    said = str(caught.value)
    assert "template says float64" in said
    assert "waves, called by xarray.map_blocks for a block of (x: 3) at" in said
    assert __file__ in said


def test_an_error_of_the_function_says_which_and_where():
    def fails(block):
        raise KeyError("level")

    x = X.chunk(x=3)
    with pytest.raises(KeyError, match="level") as caught:
        x.map_blocks(fails, template=x).compute()
    _first, where, last = str(caught.value).splitlines()
    assert "while computing fails" in where
    assert f"at {__file__}" in where
    assert last.endswith('in fails: raise KeyError("level")')


Y = xr.DataArray(np.arange(24.0).reshape(6, 4), dims=("x", "y"), name="a")


@pytest.mark.parametrize(
    ("func", "said"),
    [
        (lambda b: b.mean("y"), r"an array with dimensions \(x\), .* says \(x, y\)"),
        (lambda b: b.transpose(), r"an array with dimensions \(y, x\), .* says \(x, y\)"),
        (lambda b: b.expand_dims("z"), r"with dimensions \(z, x, y\)"),
    ],
)
def test_dimensions_are_those_of_the_template(func, said):
    y = Y.chunk(x=3)
    with pytest.raises(ComputeError, match=said) as caught:
        y.map_blocks(func, template=y).compute()
    assert "while computing lambda, called by xarray.map_blocks" in str(caught.value)
    assert __file__ in str(caught.value)


def test_variables_are_those_of_the_template():
    both = Y.to_dataset().chunk(x=3)
    with pytest.raises(ComputeError, match="it returned 'b', and its template has 'a'"):
        both.map_blocks(lambda ds: ds.rename(a="b"), template=both).compute()
    with pytest.raises(ComputeError, match=r"'a' with dimensions \(y, x\)"):
        both.map_blocks(lambda ds: ds.transpose("y", "x"), template=both).compute()


def test_without_a_template_nothing_is_said_of_dtypes():
    assert dtypes_of(None) == {}
    found = xr.map_blocks(lambda b: b.astype("i2"), X.chunk(x=3))
    assert found.dtype == found.values.dtype == "i2"


@pytest.mark.parametrize(
    ("func", "said"),
    [
        (lambda b: b.isel(y=slice(1, None)), "3 along dimension 'y', and its template says 4"),
        (lambda b: b.isel(x=[0]), "1 along dimension 'x', and its template says 2"),
        (lambda b: b.values, "a ndarray, no DataArray and no Dataset"),
    ],
)
def test_blocks_are_as_long_as_the_template_says(func, said):
    y = Y.chunk(x=2)
    for given in (y, y.assign_coords(x=np.arange(6), y=np.arange(4))):
        with pytest.raises(ComputeError, match=said) as caught:
            given.map_blocks(func, template=given).compute()
        assert "while computing lambda, called by xarray.map_blocks" in str(caught.value)
        assert __file__ in str(caught.value)


def test_blocks_may_be_of_other_lengths_than_what_they_are_made_of():
    y = Y.chunk(x=(3, 2, 1))
    template = y.isel(x=[0, 1, 3, 4, 5]).chunk(x=(2, 2, 1)).isel(y=0, drop=True)
    template = template.expand_dims(z=7, axis=1)
    found = y.map_blocks(
        lambda b: b.isel(x=slice(0, 2), y=0).expand_dims(z=7, axis=1), template=template
    )
    np.testing.assert_array_equal(found.isel(z=0), Y.isel(x=[0, 1, 3, 4, 5], y=0))
