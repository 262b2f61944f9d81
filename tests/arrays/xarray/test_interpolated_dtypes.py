"""Declared dtypes are those that SciPy computes; the values are tried in test_interpolations.py."""

import numpy as np
import pytest

missing = pytest.importorskip("xarray.core.missing")
pytest.importorskip("scipy")

from dask_tapestry.arrays.xarray.interpolated_dtypes import dtype_computed  # noqa: E402


@pytest.mark.parametrize(
    ("dtype", "method", "expected"),
    [
        ("f4", "linear", "f8"),
        ("f4", "nearest", "f4"),
        ("f2", "cubic", "f8"),
        ("c8", "linear", "c16"),
    ],
)
def test_it_is_scipys(dtype, method, expected):
    func, how = missing._get_interpolator(method, vectorizeable_only=True)
    found = dtype_computed(
        missing._interpnd,
        np.dtype(dtype),
        result_coord_core_dims=[("p",)],
        interp_func=func,
        interp_kwargs=how,
    )
    assert found == np.dtype(expected)
