import numpy as np
import pytest

import dask_tapestry as dt


def test_the_namespace_of_an_array_is_found_without_computing():
    x = dt.placeholder((10**6, 10**6), "f8")
    assert x.__array_namespace__() is dt
    assert x.__array_namespace__(api_version="2021.12") is dt
    assert x.__array_namespace__(api_version=dt.__array_api_version__) is dt
    with pytest.raises(ValueError, match="not one of"):
        x.__array_namespace__(api_version="2020.01")


def test_what_it_says_of_itself():
    info, numpy_s = dt.__array_namespace_info__(), np.__array_namespace_info__()
    assert info.capabilities() == numpy_s.capabilities()
    assert info.default_device() in info.devices() == ("cpu",)
    with dt.config(device="cuda:1"):
        assert info.default_device() in info.devices() == ("cpu", "cuda:1")
    with dt.config(resources=dt.Resources(gpus=1)):
        assert info.devices() == ("cpu", "cuda")
    assert info.default_dtypes() == numpy_s.default_dtypes()
    assert info.default_dtypes(device="cpu") == info.default_dtypes()
    with pytest.raises(ValueError, match="Device"):
        info.dtypes(device="gpu")


@pytest.mark.parametrize("kind", [None, "bool", "numeric", "integral", ("bool", "real floating")])
def test_dtypes_by_kind(kind):
    expected = np.__array_namespace_info__().dtypes(kind=kind)
    assert dt.__array_namespace_info__().dtypes(kind=kind) == expected
    for name, dtype in expected.items():
        assert dt.ones(2, getattr(dt, name)).dtype == dtype
