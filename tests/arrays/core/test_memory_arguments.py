import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.core.memory_arguments import device_named, moved_to


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


@pytest.mark.parametrize("device", ["cuda", "cuda:1"])
@pytest.mark.parametrize(
    "make",
    [
        lambda **how: dt.asarray([1.0, 2], **how),
        lambda **how: dt.full(3, 7, **how),
        lambda **how: dt.zeros((2, 3), **how),
        lambda **how: dt.empty((2, 3), **how),
        lambda **how: dt.eye(3, **how),
        lambda **how: dt.arange(5, **how),
        lambda **how: dt.linspace(0, 1, 5, **how),
        lambda **how: dt.fft.fftfreq(4, **how),
        lambda **how: dt.fft.rfftfreq(4, **how),
        lambda **how: dt.zeros_like(np.ones(3), **how),
        lambda **how: dt.asanyarray(np.ones(3), **how),
        lambda **how: dt.from_dlpack(np.ones(3), **how),
    ],
)
def test_what_is_made_on_a_device_is_there(make, device, device_kernels):
    x = make(device=device)
    assert (x.device, make().device, make(device="cpu").device) == (device, "cpu", "cpu")
    wanted, found = make().compute(), x.compute()
    assert found.device.id == int(device == "cuda:1")
    np.testing.assert_array_equal(found.get(), wanted, strict=True)
    with dt.config(device=device):
        assert (make().device, make(device="cpu").device) == (device, "cpu")


def test_an_array_that_is_there_stays_and_another_is_moved():
    x = dt.ones(3, device="cuda")
    assert dt.asarray(x).device == dt.zeros_like(x).device == (x + 1).device == "cuda"
    assert dt.asarray(x, device="cpu").device == dt.astype(x, "f4", device="cpu").device == "cpu"
    assert moved_to(x, None) is x is moved_to(x, "cuda")
    with dt.config(device="cuda"):
        assert dt.asarray(dt.asarray(x, device="cpu")).device == "cpu"


def test_names_of_devices():
    assert [device_named(name) for name in (None, "cpu")] == [None, None]
    assert [device_named(name).number for name in ("cuda", "cuda:0", "cuda:12")] == [None, 0, 12]
    for wrong in ("gpu", "cuda:", "cuda:-1", "CPU", "", 0):
        with pytest.raises(dt.ArgumentError, match="Device not understood"):
            device_named(wrong)


@pytest.mark.parametrize("wrong", [[], (), "", 0, False, 1.5, "gpu"])
@pytest.mark.parametrize(
    "make",
    [
        lambda device: dt.zeros(2, device=device),
        lambda device: dt.arange(3, device=device),
        lambda device: dt.asarray([1], device=device),
        lambda device: dt.fft.fftfreq(3, device=device),
        lambda device: dt.fft.rfftfreq(1, device=device),
        lambda device: dt.ones(2).to_device(device),
    ],
)
def test_what_is_no_device_is_refused(make, wrong):
    with pytest.raises((dt.ArgumentError, dt.ArgumentTypeError)):
        make(wrong)
