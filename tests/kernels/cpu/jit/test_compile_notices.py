import os
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dask_tapestry_kernels.cpu.jit import compile_service, shipped
from dask_tapestry_kernels.cpu.jit.compile_notices import Notices, cache_note
from dask_tapestry_kernels.jit import object_cache

ROOT = Path(__file__).parents[4]
FIRST = "import numpy as np\nimport dask_tapestry as dt\n{before}\ndt.compute({what})\n"
CALLS = {
    "exp": "dt.exp(dt.asarray(np.linspace(0, 1, 1000)))",
    "gamma": "dt.random.default_rng(1).gamma(2.5, size=100)",
}
OLD = """
from dask_tapestry_kernels.cpu.jit import shipped
shipped.FEATURES += ("of a later processor",)
"""
OTHER = """
from dask_tapestry_kernels.cpu.jit import shipped
from dask_tapestry_kernels.jit import numba_version
shipped.numba_version = lambda: "0.99.1"
"""


def lines(caplog):
    return [record.getMessage() for record in caplog.records]


@pytest.fixture
def refused(monkeypatch):
    """Why kernels that came are not loaded, to be set."""

    def refuse(why, there=True):
        monkeypatch.setattr(shipped, "refusal", lambda folder=None: why)
        monkeypatch.setattr(shipped, "target_of", lambda folder: there or None)

    return refuse


def test_kernels_that_serve_are_not_spoken_of(refused, caplog):
    refused(None)
    Notices().begins("exp", True)
    assert not lines(caplog)


def test_kernels_that_are_refused_are_told_of_once(refused, caplog):
    refused("for others")
    notices = Notices()
    notices.begins("exp", False)
    notices.begins("log", True)
    (line,) = lines(caplog)
    assert "for others. Now exp; each takes 1 to 3 s" in line
    assert "\n" not in line


def test_where_none_came_only_who_waits_is_told(refused, caplog):
    refused("none came", there=False)
    notices = Notices()
    notices.begins("add($0, 1)", False)
    assert not lines(caplog)
    notices.begins("exp", True)
    assert len(lines(caplog)) == 1


def test_each_kernel_is_waited_for_in_one_line(refused, caplog):
    refused("for others")
    notices = Notices()
    notices.waited(["exp", "log", "exp"])
    notices.waited(["log"])
    notices.waited(["log", "gamma"])
    assert [line.split(": ")[1].split(";")[0] for line in lines(caplog)] == ["exp, log", "gamma"]


def test_it_says_where_code_is_kept_or_that_it_is_not(tmp_path, monkeypatch):
    monkeypatch.setenv(object_cache.DIRECTORY, str(tmp_path))
    assert cache_note() == f"once, as {tmp_path} keeps them"
    tmp_path.chmod(stat.S_IRWXU | stat.S_IWOTH)  # not to be trusted
    assert object_cache.DIRECTORY in cache_note()


def test_who_waits_reads_for_what(tmp_path, monkeypatch, caplog, refused):
    """The child stands still: nobody who waits for it waits without a line."""
    refused(None)
    monkeypatch.setenv(object_cache.DIRECTORY, str(tmp_path))
    monkeypatch.setattr(compile_service, "SILENT", 0.01)
    service = compile_service.KernelService()
    monkeypatch.setattr(service, "_speak", lambda: time.sleep(1))
    monkeypatch.setattr(compile_service, "PATIENCE", 0.05)
    monkeypatch.setattr(compile_service, "compile_source", lambda source: source)
    monkeypatch.setattr(compile_service, "Native", lambda code, arity: code)
    service.get("a text", 3, "a formula", compile_service.WORK)
    assert service.require("another", 3, "exp") == "another"
    (line,) = lines(caplog)
    told = line.partition("waits for its compiler: ")[2].partition(";")[0]
    assert sorted(told.split(", ")) == ["a formula", "exp"]  # the child may have begun with either


def fresh(tmp_path, before, what):
    """The log of a process that calls something for the first time on a machine."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", FIRST.format(before=before, what=CALLS[what])],
        env=os.environ
        | {"PYTHONPATH": f"{ROOT}:{ROOT / 'kernels'}", object_cache.DIRECTORY: str(tmp_path)},
        cwd=ROOT, capture_output=True, text=True, timeout=300, check=True,
    )  # fmt: skip
    return done.stderr.splitlines()


@pytest.mark.few(1)  # a process each
@pytest.mark.covering(together=1)
@pytest.mark.parametrize("what", CALLS)
@pytest.mark.parametrize(("before", "why"), [(OLD, "of a later processor"), (OTHER, "0.99.1")])
def test_another_processor_or_compiler_is_told_in_a_fresh_process(tmp_path, before, why, what):
    there = shipped.target_of(shipped.FOLDER) is not None
    first, *others = fresh(tmp_path, before, what)
    assert (why in first) if there else "brought no compiled kernels" in first
    assert what in first
    assert all("waits for its compiler" in line for line in others)
    assert not fresh(tmp_path, before, what)  # what was compiled is kept
