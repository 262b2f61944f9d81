import errno
from gzip import BadGzipFile

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.io.stores import retry_policy
from dask_tapestry.io.stores.retries import forget_retries, retries
from dask_tapestry.io.stores.retry_policy import is_transient, patiently, read_again
from dask_tapestry.io.tuning import REQUEST_ATTEMPTS


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch):
    monkeypatch.setattr(retry_policy, "FIRST_WAIT_SECONDS", 1e-4)


class Failing:
    """A target that fails so many times before each of its cells is taken."""

    shape, dtype = (6,), np.dtype("f8")

    def __init__(self, times, error):
        self.times, self.error, self.calls = times, error, 0
        self.cells = np.zeros(6)

    def __setitem__(self, key, value):
        self.calls += 1
        if self.calls <= self.times:
            raise self.error
        self.cells[key] = value


@pytest.mark.parametrize("error", [ConnectionResetError("reset"), OSError(errno.EIO, "broken")])
@pytest.mark.parametrize("lock", [True, False])
def test_what_passes_is_tried_again(error, lock):
    target = Failing(REQUEST_ATTEMPTS - 1, error)
    dt.store(dt.ones(6), target, lock=lock)
    assert target.cells.sum() == 6


def test_what_does_not_pass_in_time_is_told():
    target = Failing(99, ConnectionResetError("reset"))
    with pytest.raises(dt.StoreError, match=r"cannot write .*: reset"):
        dt.store(dt.ones(6), target)
    assert target.calls == REQUEST_ATTEMPTS


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "full"), ValueError("bad")])
def test_what_stays_is_not_tried_again(error):
    target = Failing(99, error)
    with pytest.raises(dt.StoreError, match="cannot write"):
        dt.store(dt.ones(6), target)
    assert target.calls == 1


def test_results_and_kinds():
    assert patiently(lambda: 3) == 3
    assert is_transient(TimeoutError())
    assert not is_transient(KeyError("a"))


class Source:
    """A read that fails as it is told, one error after the other."""

    def __init__(self, *errors):
        self.errors, self.calls = list(errors), 0

    def __call__(self):
        self.calls += 1
        if self.errors:
            raise self.errors.pop(0)
        return "read"


TORN = [ValueError("torn"), RuntimeError("blosc"), EOFError("short"), BadGzipFile("crc")]


@pytest.mark.parametrize("error", TORN)
def test_what_came_torn_is_read_once_more(error):
    forget_retries()
    assert read_again(Source(), error, "here") == "read"
    assert retries()["here"].times == 1
    again = Source(error, error)
    with pytest.raises(type(error)):
        read_again(again, error, "here")
    assert again.calls == 1


@pytest.mark.parametrize("number", [errno.EIO, errno.ESTALE, errno.EAGAIN, errno.EMFILE])
def test_reads_of_files_are_made_again(number):
    forget_retries()
    again = Source(*[OSError(number, "no")] * (REQUEST_ATTEMPTS - 2))
    assert read_again(again, OSError(number, "no"), "here") == "read"
    assert retries()["here"].times == again.calls == REQUEST_ATTEMPTS - 1


@pytest.mark.parametrize("number", [errno.ENOENT, errno.EACCES, errno.ENOSPC])
def test_reads_that_cannot_be_made_are_not_made_again(number):
    with pytest.raises(OSError, match="no"):
        read_again(Source(), OSError(number, "no"), "here")


def test_a_torn_read_within_passing_errors():
    again = Source(ValueError("torn"), TimeoutError())
    assert read_again(again, TimeoutError(), "here") == "read"


class GenericError(Exception):
    """One of obstore's, whose errors have no number."""

    __module__ = "obstore.exceptions"


@pytest.mark.parametrize(
    ("text", "passes"),
    [
        ("Server returned non-2xx status code: 503 Service Unavailable", True),
        ("Server returned non-2xx status code: 403 Forbidden", False),
        ("HTTP error: error sending request", True),
        ("anything else", False),
    ],
)
def test_errors_of_obstore(text, passes):
    assert is_transient(GenericError(text)) is passes
    assert not is_transient(ValueError("status code: 503"))
