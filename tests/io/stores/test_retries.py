import dask
import pytest

from dask_tapestry.io.stores import retries as module
from dask_tapestry.io.stores.retries import (
    add_retry,
    first_line,
    forget_retries,
    note_retry,
    retries,
)


@pytest.fixture(autouse=True)
def _no_counts():
    forget_retries()
    yield
    forget_retries()


def test_each_source_is_counted_with_its_last_error():
    for error in (TimeoutError("slow"), OSError(5, "broken")):
        note_retry("a", error)
    note_retry("b", ConnectionResetError())
    assert retries() == {
        "a": (2, "OSError: [Errno 5] broken"),
        "b": (1, "ConnectionResetError: ConnectionResetError()"),
    }


def test_few_sources_are_told_apart(monkeypatch):
    monkeypatch.setattr(module, "MOST_RETRIED_SOURCES", 2)
    for name in "abca":
        add_retry(name, "x")
    assert {name: found.times for name, found in retries().items()} == {"a": 2, "b": 1}


def test_long_errors_are_cut():
    assert len(first_line(ValueError("x" * 5000))) == module.ERROR_CHARACTERS
    assert first_line(ValueError("one\ntwo")) == "one"


def test_what_happens_in_dask_threads_is_counted_here():
    dask.compute(dask.delayed(note_retry)("a", OSError("no")), scheduler="threads")
    assert retries()["a"].times == 1
