import pytest

import dask_tapestry as dt


@pytest.mark.parametrize("make", [dt.asarray, dt.array, dt.zeros_like])
def test_an_order_in_memory_is_checked(make):
    assert make([1, 2], order="f").shape == (2,)
    with pytest.raises(dt.ArgumentError, match="order must be one of"):
        make([1, 2], order="Z")


@pytest.mark.parametrize("make", [dt.asarray, dt.zeros, dt.arange, dt.eye])
def test_the_only_device_is_the_cpu(make):
    assert make(2, device="cpu").device == "cpu"
    with pytest.raises(ValueError, match="Device not understood"):
        make(2, device="gpu")
