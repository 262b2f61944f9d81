import os
import sys
import time

import pytest

from dask_tapestry_kernels.cpu import compiler, store
from dask_tapestry_kernels.cpu.compiled import Native

HEAD = (
    "from numba import njit\n\n\n@njit('void(int64, int64, int64)')\ndef kernel(n, inputs, out):\n"
)
SOURCE = HEAD + "    n + 1\n"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv(store.DIRECTORY, str(tmp_path))
    return tmp_path


def test_a_source_is_compiled_and_kept(folder):
    key = store.key_of(SOURCE)
    compiled = compiler.answer(key, SOURCE)
    assert isinstance(compiled, store.Compiled)
    assert store.read(key) == compiled
    Native(compiled, 3)(1, 2, 3)


@pytest.mark.parametrize(
    ("source", "why"),
    [
        (HEAD + "    return n.nothing\n", "TypingError: Unknown attribute 'nothing' of type int64"),
        (HEAD + "    1 +\n", "SyntaxError: invalid syntax"),
        ("kernel = 1\n", "AttributeError: 'int' object has no attribute 'overloads'"),
        ("", "KeyError: 'kernel'"),
        ("raise ValueError", "ValueError: "),
    ],
)
def test_a_source_that_cannot_be_compiled_is_answered_with_a_line(folder, source, why):
    answer = compiler.answer(store.key_of(source), source)
    assert answer.startswith(why)
    assert "\n" not in answer
    assert not list(folder.iterdir())


def test_a_package_that_changed_since_it_was_imported_keeps_nothing(folder):
    assert "has changed" in compiler.answer("key of older files", SOURCE)
    assert not list(folder.iterdir())


def test_a_child_compiles_one_source_after_the_other():
    child = compiler.Child()
    for source in (SOURCE, SOURCE + "\n", HEAD + "    return n.nothing\n", SOURCE):
        answer = child.compile(store.key_of(source), source)
        assert isinstance(answer, str if "nothing" in source else store.Compiled)
    child.close()
    assert child._process.returncode == 0


def test_sources_and_code_may_be_longer_than_a_pipe():
    child = compiler.Child()
    source = HEAD + "".join(f"    n += {k}\n" for k in range(300)) + "#" * 300_000
    assert isinstance(child.compile(store.key_of(source), source), store.Compiled)
    child.close()


def test_a_child_that_was_killed_is_noticed():
    child = compiler.Child()
    child._process.kill()
    child._process.wait()
    with pytest.raises((OSError, EOFError)):
        child.compile(store.key_of(SOURCE), SOURCE)
    child.close()


@pytest.mark.parametrize("executable", ["/nowhere/python", "/dev/null", "", "/bin/true"])
def test_a_child_that_cannot_be_started_is_an_error(monkeypatch, executable):
    monkeypatch.setattr(sys, "executable", executable)
    monkeypatch.setenv("PATH", "/nowhere")
    before = len(os.listdir("/proc/self/fd")) if os.path.exists("/proc/self/fd") else 0
    with pytest.raises((OSError, EOFError)):
        compiler.Child()
    if before:
        assert len(os.listdir("/proc/self/fd")) == before


def test_a_frozen_program_is_not_started_again(monkeypatch):
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    with pytest.raises(OSError, match="the program itself"):
        compiler.Child()


def test_a_child_ends_when_its_parent_hangs_up_in_the_middle(capfd):
    child = compiler.Child()
    child._connection.send((store.key_of(SOURCE), SOURCE))
    time.sleep(0.05)
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
    child = compiler.Child()
    assert isinstance(child.compile(store.key_of(SOURCE), SOURCE), store.Compiled)
    child.close()


def test_it_is_nicer_than_its_parent_and_not_of_its_group():
    child = compiler.Child()
    process = child._process.pid
    assert os.getpriority(os.PRIO_PROCESS, process) > min(os.getpriority(os.PRIO_PROCESS, 0), 18)
    assert os.getpgid(process) != os.getpgid(0)
    child.close()
