import json
import os
import platform
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from types import SimpleNamespace

import pytest

pytest.importorskip("setuptools.command.bdist_wheel", reason="older than is required")

from packaging.requirements import Requirement
from setuptools import Distribution
from setuptools.command.build_py import build_py
from setuptools.errors import ExecError

from dask_tapestry_kernels.cpu.jit import shipped
from dask_tapestry_kernels.jit import object_cache
from dask_tapestry_kernels.wheel import build, ship
from dask_tapestry_kernels.wheel.build import (
    PROGRAM,
    SETTING,
    TARGET,
    BuildWithKernels,
    PlatformWheel,
)

ROOT = Path(__file__).parents[3]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
BUILD = """
import sys
from setuptools import build_meta
print(build_meta.build_wheel(sys.argv[1]))
"""


@pytest.fixture
def runs(monkeypatch):
    """What is run, with what it ends."""
    found = SimpleNamespace(calls=[], returncode=0)

    def run(command, **options):
        found.calls.append((command, options))
        return SimpleNamespace(returncode=found.returncode, stderr="first\nno numba\n", stdout="")

    monkeypatch.setattr(subprocess, "run", run)
    monkeypatch.setattr(build_py, "run", lambda self: None)
    monkeypatch.setattr(build_py, "get_package_dir", lambda self, package: "no such folder")
    monkeypatch.setattr(platform, "machine", lambda: "x86_64")
    monkeypatch.delenv(SETTING, raising=False)
    return found


def built(tmp_path, editable=False):
    command = BuildWithKernels(Distribution())
    command.build_lib, command.editable_mode = str(tmp_path), editable
    command.warnings = []
    command.warn = command.warnings.append
    command.run()
    return command.warnings


def tag():
    """Python, binary interface and platform that a wheel built here is for."""
    command = PlatformWheel(Distribution())
    command.finalize_options()
    return command.get_tag()


def test_kernels_are_compiled_for_the_package_that_was_built(runs, tmp_path):
    assert not built(tmp_path)
    ((command, options),) = runs.calls
    assert PROGRAM in command
    assert command[-1].startswith(str(tmp_path))
    assert TARGET.items() <= options["env"].items()


def test_the_package_comes_first_and_what_the_build_requires_after_it(runs, tmp_path, monkeypatch):
    """An isolated build has its requirements on `sys.path`, where a fresh Python has them not."""
    monkeypatch.setattr(sys, "path", ["", "/overlay/site-packages"])
    built(tmp_path)
    ((_, options),) = runs.calls
    assert options["env"]["PYTHONPATH"].split(os.pathsep) == [
        str(tmp_path),
        "/overlay/site-packages",
    ]


def test_kernels_that_cannot_be_compiled_stop_the_build(runs, tmp_path):
    runs.returncode = 1
    with pytest.raises(ExecError, match="no numba"):
        built(tmp_path)


def test_an_editable_install_compiles_nothing(runs, tmp_path):
    assert not built(tmp_path, editable=True)
    assert not runs.calls


def test_kernels_of_a_checkout_are_taken_along(runs, tmp_path, monkeypatch):
    source = tmp_path / "checkout"
    (source / "compiled").mkdir(parents=True)
    (source / "compiled" / "a kernel").write_text("code")
    folder = tmp_path / "lib" / build.PACKAGE / build.FOLDER
    folder.mkdir(parents=True)  # setuptools takes some files along, as those of another build
    (folder / "another kernel").write_text("code of another numba")
    monkeypatch.setattr(build_py, "get_package_dir", lambda self, package: str(source))
    built(tmp_path / "lib")
    assert [file.name for file in folder.iterdir()] == ["a kernel"]  # kept if it is up to date
    assert (folder / "a kernel").read_text() == "code"


@pytest.mark.parametrize(("machine", "setting"), [("aarch64", None), ("x86_64", "no")])
def test_a_wheel_for_any_machine_says_that_it_has_no_kernels(
    runs, tmp_path, monkeypatch, machine, setting
):
    monkeypatch.setattr(platform, "machine", lambda: machine)
    if setting:
        monkeypatch.setenv(SETTING, setting)
    folder = tmp_path / build.PACKAGE / build.FOLDER
    folder.mkdir(parents=True)  # of another build
    (text,) = built(tmp_path)
    assert "no compiled kernels" in text
    assert not runs.calls
    assert not folder.exists()
    assert tag()[1:] == ("none", "any")


@pytest.mark.parametrize("machine", build.MACHINES)
def test_machine_code_is_for_one_platform(runs, monkeypatch, machine):
    monkeypatch.setattr(platform, "machine", lambda: machine)
    python = "cp{}{}".format(*sys.version_info[:2])
    assert tag()[:2] == (python, python)
    assert tag()[2] != "any"


def test_what_compiles_is_a_build_requirement_in_the_range_of_what_runs():
    needed = {Requirement(r).name: r for r in PROJECT["project"]["dependencies"]}
    asked = [r for r in PROJECT["build-system"]["requires"] if not r.startswith("setuptools")]
    assert {Requirement(r).name for r in asked} == {"numba", "numpy", "threadpoolctl"}
    assert set(asked) <= set(needed.values())


FEW_DRAWS = 1  # of the variates: all take a minute to compile


@pytest.mark.slow
@pytest.mark.skipif(platform.machine() not in build.MACHINES, reason="another processor")
@pytest.mark.parametrize("draws", [FEW_DRAWS, pytest.param(None, marks=pytest.mark.exhaustive)])
def test_a_wheel_brings_all_kernels_and_its_tag_says_so(tmp_path, draws, monkeypatch):
    """Of a checkout whose list of variates is cut short, or of all."""
    checkout = tmp_path / "checkout"
    for name in ("dask_tapestry", "kernels"):
        ignored = shutil.ignore_patterns("__pycache__", "*.egg-info")
        shutil.copytree(ROOT / name, checkout / name, ignore=ignored)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, checkout)
    if draws is not None:
        program = checkout / "kernels/dask_tapestry_kernels/wheel/ship.py"
        listed = program.read_text()
        for name in ("DRAWS", "ROW_DRAWS"):
            assert listed.count(f", {name})") == 1
            listed = listed.replace(f", {name})", f", list({name})[:{draws}])")
            monkeypatch.setattr(ship, name, list(getattr(ship, name))[:draws])
        program.write_text(listed)
    done = subprocess.run(
        [sys.executable, "-c", BUILD, str(tmp_path)],
        cwd=checkout, capture_output=True, text=True, check=True,
    )  # fmt: skip
    wheel = tmp_path / done.stdout.splitlines()[-1]
    python = "cp{}{}".format(*sys.version_info[:2])
    assert wheel.name.split("-")[2:4] == [python, python]
    assert wheel.name.endswith("_x86_64.whl") or wheel.name.endswith("_amd64.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "installed")
    folder = tmp_path / "installed" / build.PACKAGE / build.FOLDER
    assert json.loads((folder / shipped.TARGET).read_text())["processor"] == shipped.LEVEL
    keys = {shipped.key_of(text) for text in ship.sources()}
    assert {file.name for file in folder.iterdir()} == keys | {shipped.TARGET}
    assert all(object_cache.read_from(folder, key) for key in keys)
