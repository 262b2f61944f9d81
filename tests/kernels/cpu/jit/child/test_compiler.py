import gc
from contextlib import nullcontext

import pytest

from dask_tapestry_kernels.cpu.jit import object_keys
from dask_tapestry_kernels.cpu.jit.child import compiler
from dask_tapestry_kernels.cpu.jit.compile_service import Native
from dask_tapestry_kernels.jit import object_cache

HEAD = (
    "from numba import njit\n\n\n@njit('void(int64, int64, int64)')\ndef kernel(n, inputs, out):\n"
)
SOURCE = HEAD + "    n + 1\n"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv(object_cache.DIRECTORY, str(tmp_path))
    return tmp_path


def test_a_source_is_compiled_and_kept(folder):
    key = object_keys.key_of(SOURCE)
    compiled = compiler.answer(key, SOURCE)
    assert isinstance(compiled, object_cache.Compiled)
    assert object_cache.read(key) == compiled
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
    answer = compiler.answer(object_keys.key_of(source), source)
    assert answer.startswith(why)
    assert "\n" not in answer
    assert all(path.name.startswith(object_cache.LOCK) for path in folder.iterdir())


def test_a_package_that_changed_since_it_was_imported_keeps_nothing(folder):
    assert "has changed" in compiler.answer("key of older files", SOURCE)
    assert all(path.name.startswith(object_cache.LOCK) for path in folder.iterdir())


def test_who_waits_for_another_process_compiles_nothing(folder, monkeypatch):
    key = object_keys.key_of(SOURCE)
    kept = object_cache.Compiled("symbol", b"code of another process")
    object_cache.write(key, kept)
    monkeypatch.setattr(object_cache, "alone", lambda key: nullcontext(True))
    assert compiler.answer(key, SOURCE) == kept
    monkeypatch.setattr(object_cache, "alone", lambda key: nullcontext(False))
    assert compiler.answer(key, SOURCE) != kept


def test_no_garbage_is_looked_for_meanwhile():
    for collects in (True, False):
        gc.enable() if collects else gc.disable()
        try:
            with compiler._collecting_nothing():
                assert not gc.isenabled()
            assert gc.isenabled() == collects
        finally:
            gc.enable()
