import pickle

from dask_tapestry_kernels.device_error import KernelDeviceError


def test_a_device_error_comes_back_from_another_process_as_it_was():
    error = pickle.loads(pickle.dumps(KernelDeviceError("kernel map: no such dtype")))
    assert isinstance(error, RuntimeError)
    assert str(error) == "kernel map: no such dtype"
