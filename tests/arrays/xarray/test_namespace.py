"""What xarray takes from the manager by name."""

import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.xarray import namespace


def test_functions_are_the_library_s():
    assert namespace.isnull is dt.isnull
    assert namespace.linalg is dt.linalg
    with pytest.raises(AttributeError):
        namespace.no_such_function  # noqa: B018


def test_two_have_dask_s_names():
    assert namespace.sliding_window_view(dt.arange(5), 3, axis=0).shape == (3, 3)
    assert namespace.reshape_blockwise(dt.arange(6), (2, 3)).shape == (2, 3)
