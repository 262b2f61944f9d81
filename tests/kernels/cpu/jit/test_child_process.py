import os
import sys

import pytest

from dask_tapestry_kernels.cpu.jit import child_process, object_cache

HEAD = (
    "from numba import njit\n\n\n@njit('void(int64, int64, int64)')\ndef kernel(n, inputs, out):\n"
)
SOURCE = HEAD + "    n + 1\n"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv(object_cache.DIRECTORY, str(tmp_path))
    return tmp_path


def test_a_child_compiles_one_source_after_the_other():
    child = child_process.Child()
    for source in (SOURCE, SOURCE + "\n", HEAD + "    return n.nothing\n", SOURCE):
        answer = child.compile(object_cache.key_of(source), source)
        assert isinstance(answer, str if "nothing" in source else object_cache.Compiled)
    child.close()
    assert child._process.returncode == 0


def test_sources_and_code_may_be_longer_than_a_pipe():
    child = child_process.Child()
    source = HEAD + "".join(f"    n += {k}\n" for k in range(300)) + "#" * 300_000
    assert isinstance(child.compile(object_cache.key_of(source), source), object_cache.Compiled)
    child.close()


def test_a_child_that_was_killed_is_noticed():
    child = child_process.Child()
    child._process.kill()
    child._process.wait()
    with pytest.raises((OSError, EOFError)):
        child.compile(object_cache.key_of(SOURCE), SOURCE)
    child.close()


@pytest.mark.parametrize("executable", ["/nowhere/python", "/dev/null", "", "/bin/true"])
def test_a_child_that_cannot_be_started_is_an_error(monkeypatch, executable):
    monkeypatch.setattr(sys, "executable", executable)
    monkeypatch.setenv("PATH", "/nowhere")
    before = len(os.listdir("/proc/self/fd")) if os.path.exists("/proc/self/fd") else 0
    with pytest.raises((OSError, EOFError)):
        child_process.Child()
    if before:
        assert len(os.listdir("/proc/self/fd")) == before


def test_a_frozen_program_is_not_started_again(monkeypatch):
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    with pytest.raises(OSError, match="the program itself"):
        child_process.Child()


def test_a_child_ends_when_its_parent_hangs_up_in_the_middle(capfd, tmp_path):
    gate = tmp_path / "opens when the child is at the source"
    os.mkfifo(gate)
    source = f"open({str(gate)!r}).close()\n{SOURCE}"
    child = child_process.Child()
    child._connection.send((object_cache.key_of(source), source))
    gate.open("w").close()
    child.close()
    assert child._process.returncode == 0
    assert capfd.readouterr() == ("", "")


def test_settings_of_numba_and_modules_of_the_working_directory_do_not_reach_it(
    monkeypatch, tmp_path
):
    (tmp_path / "json.py").write_text("raise SystemExit(3)")
    (tmp_path / "numba.py").write_text("raise SystemExit(3)")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if entry])
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    child = child_process.Child()
    assert isinstance(child.compile(object_cache.key_of(SOURCE), SOURCE), object_cache.Compiled)
    child.close()


def test_it_is_nicer_than_its_parent_and_not_of_its_group():
    child = child_process.Child()
    process = child._process.pid
    assert os.getpriority(os.PRIO_PROCESS, process) > min(os.getpriority(os.PRIO_PROCESS, 0), 18)
    assert os.getpgid(process) != os.getpgid(0)
    child.close()
