import subprocess
from types import SimpleNamespace

import pytest

pytest.importorskip("setuptools")

from setuptools import Distribution
from setuptools.command.build_py import build_py

from dask_tapestry_kernels.wheel.build import PROGRAM, TARGET, BuildWithKernels


@pytest.fixture
def runs(monkeypatch):
    """What is run, with what it ends."""
    found = SimpleNamespace(calls=[], returncode=0)

    def run(command, **options):
        found.calls.append((command, options))
        return SimpleNamespace(returncode=found.returncode, stderr="first\nno numba\n")

    monkeypatch.setattr(subprocess, "run", run)
    monkeypatch.setattr(build_py, "run", lambda self: None)
    return found


def built(tmp_path, editable=False):
    command = BuildWithKernels(Distribution())
    command.build_lib, command.editable_mode = str(tmp_path), editable
    command.warnings = []
    command.warn = command.warnings.append
    command.run()
    return command.warnings


def test_kernels_are_compiled_for_the_package_that_was_built(runs, tmp_path):
    assert not built(tmp_path)
    ((command, options),) = runs.calls
    assert PROGRAM in command
    assert command[-1].startswith(str(tmp_path))
    assert TARGET.items() <= options["env"].items()
    assert options["env"]["PYTHONPATH"] == str(tmp_path)


def test_without_numba_there_is_a_warning(runs, tmp_path):
    runs.returncode = 1
    (text,) = built(tmp_path)
    assert "no numba" in text


def test_an_editable_install_compiles_nothing(runs, tmp_path):
    assert not built(tmp_path, editable=True)
    assert not runs.calls
