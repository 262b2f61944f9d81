import pytest

import dask_tapestry as dt
from dask_tapestry.compute_errors import compute_error
from dask_tapestry_kernels.device_error import KernelDeviceError


class OutOfMemoryError(MemoryError):
    """As CuPy's own."""


OutOfMemoryError.__module__ = "cupy.cuda.memory"


@pytest.mark.parametrize(
    ("raised", "kind"),
    [
        (KernelDeviceError("no kernel"), dt.DeviceError),
        (OutOfMemoryError("no room"), dt.DeviceMemoryError),
    ],
)
def test_what_kernels_and_cuda_raise_is_our_error_of_devices(raised, kind):
    error = compute_error(raised, "while computing add")
    assert type(error) is kind
    assert isinstance(error, MemoryError) is isinstance(raised, MemoryError)
    assert str(error) == f"{raised}\nwhile computing add"


def test_kernels_errors_and_ours_are_caught_alike():
    with pytest.raises(KernelDeviceError, match="cells of object"):
        dt.asarray([None, 1], dtype=object).to_device("cuda")
