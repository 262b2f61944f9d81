import os
import sys

import pytest

from dask_tapestry_kernels.cpu.jit import object_keys
from dask_tapestry_kernels.jit import child_process, object_cache
from dask_tapestry_kernels.jit.child_process import LEFT_OUT

HEAD = (
    "from numba import njit\n\n\n@njit('void(int64, int64, int64)')\ndef kernel(n, inputs, out):\n"
)
SOURCE = HEAD + "    n + 1\n"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv(object_cache.DIRECTORY, str(tmp_path))
    return tmp_path


def test_a_child_compiles_one_source_after_the_other():
    child = child_process.Child(object_keys.COMPILER)
    for source in (SOURCE, SOURCE + "\n", HEAD + "    return n.nothing\n", SOURCE):
        answer = child.compile(object_keys.key_of(source), source, 3, True)
        assert isinstance(answer, str if "nothing" in source else object_cache.Compiled)
    child.close()
    assert child._process.returncode == 0


def test_sources_and_code_may_be_longer_than_a_pipe():
    child = child_process.Child(object_keys.COMPILER)
    source = HEAD + "".join(f"    n += {k}\n" for k in range(300)) + "#" * 300_000
    assert isinstance(
        child.compile(object_keys.key_of(source), source, 3, True), object_cache.Compiled
    )
    child.close()


def test_a_child_that_was_killed_is_noticed():
    child = child_process.Child(object_keys.COMPILER)
    child._process.kill()
    child._process.wait()
    with pytest.raises((OSError, EOFError)):
        child.compile(object_keys.key_of(SOURCE), SOURCE, 3, True)
    child.close()


@pytest.mark.parametrize("executable", ["/nowhere/python", "/dev/null", "", "/bin/true"])
def test_a_child_that_cannot_be_started_is_an_error(monkeypatch, executable):
    monkeypatch.setattr(sys, "executable", executable)
    monkeypatch.setenv("PATH", "/nowhere")
    before = len(os.listdir("/proc/self/fd")) if os.path.exists("/proc/self/fd") else 0
    with pytest.raises((OSError, EOFError)):
        child_process.Child(object_keys.COMPILER)
    if before:
        assert len(os.listdir("/proc/self/fd")) == before


def test_a_frozen_program_is_not_started_again(monkeypatch):
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    with pytest.raises(OSError, match="the program itself"):
        child_process.Child(object_keys.COMPILER)


def test_a_child_ends_when_its_parent_hangs_up_in_the_middle(capfd, tmp_path):
    gate = tmp_path / "opens when the child is at the source"
    os.mkfifo(gate)
    source = f"open({str(gate)!r}).close()\n{SOURCE}"
    child = child_process.Child(object_keys.COMPILER)
    child._connection.send((object_keys.key_of(source), source, 3, True))
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
    child = child_process.Child(object_keys.COMPILER)
    assert isinstance(
        child.compile(object_keys.key_of(SOURCE), SOURCE, 3, True), object_cache.Compiled
    )
    child.close()


def test_what_numba_would_import_for_others_is_left_out(tmp_path):
    """A source writes down which of them are there, after numba has compiled a kernel."""
    note = tmp_path / "note"
    source = f"{SOURCE}\nimport sys\nopen({str(note)!r}, 'w').write(' '.join(sys.modules))\n"
    child = child_process.Child(object_keys.COMPILER)
    answer = child.compile(object_keys.key_of(source), source, 3, True)
    assert isinstance(answer, object_cache.Compiled)
    child.close()
    there = note.read_text().split()
    assert "numba" in there
    assert not [name for name in there if name.startswith(tuple(f"{n}." for n in LEFT_OUT))]


def test_it_is_not_of_the_group_of_its_parent():
    child = child_process.Child(object_keys.COMPILER)
    assert os.getpgid(child._process.pid) != os.getpgid(0)
    child.close()


@pytest.mark.skipif(sys.platform != "linux", reason="threads have no priorities")
def test_what_nobody_waits_for_is_compiled_at_a_lower_priority(tmp_path):
    """A source writes down the priority of the thread that compiles it."""
    own = os.getpriority(os.PRIO_PROCESS, 0)
    child = child_process.Child(object_keys.COMPILER)
    for number, awaited in enumerate((True, False, True, False)):
        note = tmp_path / f"note {number}"
        source = f"""\
import os, threading
level = os.getpriority(os.PRIO_PROCESS, threading.get_native_id())
open({str(note)!r}, "w").write(str(level))
{SOURCE}"""
        answer = child.compile(object_keys.key_of(source), source, 3, awaited)
        assert isinstance(answer, object_cache.Compiled)
        level = int(note.read_text())
        assert level == own if awaited else level > min(own, 18)
    child.close()
