import json
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from dask_tapestry_kernels.cpu.jit.object_cache import Compiled
from dask_tapestry_kernels.cuda.jit import runtime
from tests.gpu import __main__ as gpu
from tests.gpu import bandwidth
from tests.kernels.cuda.fake_cupy import Array, FakeCupy


class Event:
    def record(self):
        pass

    def synchronize(self):
        pass


@pytest.fixture
def cupy(monkeypatch):
    """A stand-in whose kernels do nothing, and whose functions are NumPy's."""
    monkeypatch.setattr(runtime, "cubin_of", lambda program, sm: Compiled(program.what, b""))
    fake = FakeCupy().install(monkeypatch)
    for name in ("exp", "copyto", "empty_like"):
        setattr(fake.module, name, getattr(np, name))
    fake.module.asarray = lambda x: x.view(Array)
    fake.module.__version__ = "14"
    fake.module.cuda.Event = Event
    fake.module.cuda.get_elapsed_time = lambda start, end: 2.0
    fake.module.cuda.runtime.getDeviceProperties = lambda number: {"name": b"a device"}
    fake.module.cuda.runtime.driverGetVersion = lambda: 12090
    monkeypatch.setattr(bandwidth, "REPEATS", 1)
    return fake


def test_without_a_device_it_says_so_and_ends_with_2(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "cupy", None)
    monkeypatch.setattr(runtime, "_runtimes", [])
    assert gpu.main([]) == 2
    assert "Nothing was run on a GPU: there is no CuPy" in capsys.readouterr().out


def test_what_was_measured_is_written(cupy, tmp_path, capsys):
    file = tmp_path / "made" / "gpu.json"
    assert gpu.main(["--json", str(file), "--bytes", "40000", "--no-tests"]) == 0
    found = json.loads(file.read_text())
    assert found["device"]["name"] == "a device"
    assert found["rows"]["x * y + x"]["ours"] == 0.002
    assert set(found["rows"]) == set(bandwidth.works(40_000))
    assert "column variance" in capsys.readouterr().out
    assert len(cupy.launches) > 20


def test_tests_that_fail_on_the_device_make_it_fail(cupy, tmp_path, monkeypatch):
    asked = []

    def run(command, **options):
        asked.append((command, options.get("env")))
        return SimpleNamespace(returncode=1, stdout="commit\n")

    monkeypatch.setattr(gpu.subprocess, "run", run)
    assert gpu.main(["--json", str(tmp_path / "gpu.json"), "--bytes", "40000"]) == 1
    modules = [command[-1] for command, env in asked if env]
    assert modules == [str(module) for module in sorted(gpu.TESTS.glob("*_simulated.py"))]
    assert len(modules) >= 4
    assert all(env["DASK_TAPESTRY_TEST_DEVICE"] == "cuda" for _, env in asked if env)
