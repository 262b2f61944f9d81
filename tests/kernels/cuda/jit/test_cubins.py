import os
import subprocess
import sys
from threading import Thread

import pytest

from dask_tapestry_kernels.cuda.jit import cubin_cache, cubins
from dask_tapestry_kernels.cuda.jit.program import CudaProgram
from dask_tapestry_kernels.device_error import KernelDeviceError
from dask_tapestry_kernels.jit import compile_service, object_cache

SOURCE = """\
from numba import cuda

SIGNATURE = "(int64, CPointer(float64),)"


def kernel(n, out):
    i = cuda.grid(1)
    if i < n:
        out[i] = i
"""


@pytest.fixture
def service(tmp_path, monkeypatch):
    tmp_path.chmod(0o700)
    monkeypatch.setenv(object_cache.DIRECTORY, str(tmp_path))
    made = cubins.Cubins()
    yield made
    if made._child is not None:
        made._child.close()


def test_a_cubin_is_compiled_once_and_kept(service, tmp_path, monkeypatch):
    program = CudaProgram(SOURCE, "numbers")
    first = service.get(program, 90)
    assert first.code.startswith(b"\x7fELF")
    assert "kernel" in first.symbol
    assert (tmp_path / cubin_cache.key_of(SOURCE, 90)).exists()
    assert service.get(program, 90) is first
    with monkeypatch.context() as patch:
        patch.setattr(compile_service, "Child", None)
        assert cubins.Cubins().get(program, 90) == first
    assert service.get(program, 80).code != first.code


def test_what_cannot_be_compiled_says_why(service):
    with pytest.raises(
        KernelDeviceError, match="kernel broken cannot be compiled for sm_90: NameError"
    ):
        service.get(CudaProgram(SOURCE + "\nnothing\n", "broken"), 90)
    assert service.get(CudaProgram(SOURCE, "numbers"), 90).code


def test_a_child_that_ends_is_an_error_and_the_next_one_serves(service):
    service.get(CudaProgram(SOURCE, "numbers"), 90)
    service._child._process.kill()
    service._child._process.wait()
    with pytest.raises(KernelDeviceError, match="the compiling process ended"):
        service.get(CudaProgram(SOURCE + "\n", "numbers"), 90)
    assert service.get(CudaProgram(SOURCE + "\n", "numbers"), 90).code


def test_a_child_that_does_not_start_is_an_error(service, monkeypatch):
    def refused(compiler):
        raise OSError("no process")

    with monkeypatch.context() as patch:
        patch.setattr(compile_service, "Child", refused)
        with pytest.raises(KernelDeviceError, match="no compiler starts: no process"):
            service.get(CudaProgram(SOURCE, "numbers"), 90)
    assert service.get(CudaProgram(SOURCE, "numbers"), 90).code


def test_threads_that_ask_for_one_program_are_given_one_cubin(service):
    found, broken = [], CudaProgram(SOURCE + "\nnothing\n", "broken")

    def ask():
        found.append(service.get(CudaProgram(SOURCE, "numbers"), 90))
        with pytest.raises(KernelDeviceError, match="NameError"):
            service.get(broken, 90)
        found.append("refused")

    threads = [Thread(target=ask) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found.count("refused") == 6
    assert len(set(map(id, found))) == 2


def test_this_process_imports_no_compiler(tmp_path):
    program = f"""
import sys
from dask_tapestry_kernels.cuda.jit.cubins import cubin_of
from dask_tapestry_kernels.cuda.jit.program import CudaProgram
assert cubin_of(CudaProgram({SOURCE!r}, "numbers"), 90).code
assert not {{"numba", "numba_cuda", "llvmlite", "cuda.bindings", "cupy"}} & set(sys.modules)
"""
    tmp_path.chmod(0o700)
    environment = os.environ | {object_cache.DIRECTORY: str(tmp_path)}
    environment["PYTHONPATH"] = os.pathsep.join(sys.path)
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
