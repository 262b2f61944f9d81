import numpy as np
import pytest

from dask_tapestry_kernels.cuda.jit import cubin_cache, cubins, shipped_cubins
from dask_tapestry_kernels.cuda.jit.program import CudaProgram
from dask_tapestry_kernels.device_error import UnusableDeviceError
from dask_tapestry_kernels.gpu_compilation import compiling_for
from dask_tapestry_kernels.jit.object_cache import Compiled
from tests.gpu.bandwidth import EXP, KERNELS
from tests.kernels.cuda.fake_cupy import Array, FakeCupy

SOURCE = "from dask_tapestry_kernels.elementary.functions import FUNCTIONS\n"


def test_what_was_put_there_is_found_for_its_architecture(tmp_path):
    made = Compiled("symbol", b"code")
    assert shipped_cubins.read(SOURCE, 90, tmp_path / "none") is None
    assert shipped_cubins.write(tmp_path / "made", SOURCE, 90, made)
    assert shipped_cubins.read(SOURCE, 90, tmp_path / "made") == made
    assert shipped_cubins.read(SOURCE, 80, tmp_path / "made") is None
    assert shipped_cubins.read(SOURCE + " ", 90, tmp_path / "made") is None


def test_a_torn_file_is_none(tmp_path):
    shipped_cubins.write(tmp_path, SOURCE, 90, Compiled("symbol", b"code"))
    (file,) = tmp_path.iterdir()
    file.write_bytes(file.read_bytes()[:-1])
    assert shipped_cubins.read(SOURCE, 90, tmp_path) is None


@pytest.fixture
def nothing_compiles(monkeypatch):
    def fails(*arguments):
        raise UnusableDeviceError("numba-cuda is not installed")

    monkeypatch.setattr(cubin_cache, "key_of", fails)
    monkeypatch.setattr(cubins, "_cubins", cubins.Cubins())


def test_a_worker_that_can_compile_nothing_loads_what_came_with_the_package(
    tmp_path, monkeypatch, request
):
    x = np.ones((8, 8))
    with compiling_for([90], tmp_path):
        KERNELS["map"](None, x, expression=EXP)
    request.getfixturevalue("nothing_compiles")
    monkeypatch.setattr(shipped_cubins, "FOLDER", tmp_path)
    fake = FakeCupy(sm="90").install(monkeypatch)
    KERNELS["map"](None, x.view(Array), expression=EXP)
    assert len(fake.loaded) == len(fake.launches) == 1
    FakeCupy(sm="80").install(monkeypatch)
    with pytest.raises(UnusableDeviceError, match="numba-cuda is not installed"):
        KERNELS["map"](None, x.view(Array), expression=EXP)


def test_without_a_folder_the_cache_is_asked(nothing_compiles, monkeypatch, tmp_path):
    monkeypatch.setattr(shipped_cubins, "FOLDER", tmp_path / "none")
    with pytest.raises(UnusableDeviceError, match="numba-cuda is not installed"):
        cubins.cubin_of(CudaProgram(SOURCE, "what"), 90)
