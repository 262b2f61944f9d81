import os

import pytest

from dask_tapestry_kernels.cuda.jit import toolkit
from dask_tapestry_kernels.device_error import KernelDeviceError


def test_the_assembler_is_there_and_its_version_is_known():
    assert os.access(toolkit.ptxas(), os.X_OK)
    assert "numba_cuda-" in toolkit.toolkit_version()
    assert "nvidia_cuda_nvcc" in toolkit.toolkit_version()


@pytest.mark.parametrize("asked", [toolkit.ptxas, toolkit.toolkit_version])
def test_what_is_missing_is_an_error_that_says_what_to_install(monkeypatch, asked):
    monkeypatch.setattr(toolkit, "find_spec", lambda name: None)
    monkeypatch.setattr(toolkit.shutil, "which", lambda name: None)
    with pytest.raises(KernelDeviceError, match=r"(found|installed): .*dask_tapestry\[cuda\]"):
        asked.__wrapped__()


def test_an_assembler_on_the_path_serves(monkeypatch):
    monkeypatch.setattr(toolkit, "find_spec", lambda name: None)
    monkeypatch.setattr(toolkit.shutil, "which", lambda name: "/somewhere/ptxas")
    assert str(toolkit.ptxas.__wrapped__()) == "/somewhere/ptxas"
