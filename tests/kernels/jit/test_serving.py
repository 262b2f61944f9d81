from contextlib import nullcontext
from logging import getLogger
from multiprocessing import Pipe
from threading import Thread

import pytest

from dask_tapestry_kernels.jit import object_cache, serving
from dask_tapestry_kernels.jit.object_cache import Compiled

KEY, CODE = "0" * 40, Compiled("symbol", b"code")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    tmp_path.chmod(0o700)
    monkeypatch.setenv(object_cache.DIRECTORY, str(tmp_path))


def fails(text):
    def make():
        raise ValueError(text)

    return make


def test_what_is_made_is_kept():
    assert serving.made(KEY, KEY, lambda: CODE) == CODE
    assert object_cache.read(KEY) == CODE


def test_who_has_waited_for_another_process_compiles_nothing(monkeypatch):
    object_cache.write(KEY, CODE)
    monkeypatch.setattr(object_cache, "alone", lambda key: nullcontext(True))
    assert serving.made(KEY, KEY, fails("compiled again")) == CODE
    monkeypatch.setattr(object_cache, "alone", lambda key: nullcontext(False))
    assert serving.made(KEY, KEY, fails("compiled again")) == "ValueError: compiled again"


def test_nothing_is_made_of_files_that_have_changed():
    assert "has changed" in serving.made(KEY, "1" * 40, fails("compiled"))


def test_the_first_line_that_says_something_is_told():
    said = "Failed in nopython mode pipeline (step: frontend)\n  \nUnknown name\nmore"
    assert serving.made(KEY, KEY, fails(said)) == "ValueError: Unknown name"
    assert serving.made(KEY, KEY, fails("")) == "ValueError: "


def test_requests_are_answered_until_the_parent_hangs_up():
    logger = getLogger(object_cache.__name__)
    ours, theirs = Pipe()
    answered = []

    def answer(key, source, number):
        answered.append((key, source, number))
        return f"{source} {number}"

    thread = Thread(target=serving.serve, args=(theirs.fileno(), answer))
    thread.start()
    assert ours.recv() == "begun"
    assert logger.disabled  # the parent says the same
    for number, awaited in enumerate((True, False, True)):
        ours.send((KEY, "source", number, awaited))
        assert ours.recv() == f"source {number}"
    ours.close()
    thread.join(10)
    assert not thread.is_alive()
    assert not logger.disabled
    assert answered == [(KEY, "source", n) for n in range(3)]
    theirs._handle = None  # `serve` has closed it
