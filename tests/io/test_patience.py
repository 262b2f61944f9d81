import errno

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.io import patience
from dask_tapestry.io.patience import ATTEMPTS, is_passing, patiently


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch):
    monkeypatch.setattr(patience, "FIRST_WAIT", 1e-4)


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
    target = Failing(ATTEMPTS - 1, error)
    dt.store(dt.ones(6), target, lock=lock)
    assert target.cells.sum() == 6


def test_what_does_not_pass_in_time_is_told():
    target = Failing(99, ConnectionResetError("reset"))
    with pytest.raises(dt.StoreError, match=r"cannot write .*: reset"):
        dt.store(dt.ones(6), target)
    assert target.calls == ATTEMPTS


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "full"), ValueError("bad")])
def test_what_stays_is_not_tried_again(error):
    target = Failing(99, error)
    with pytest.raises(dt.StoreError, match="cannot write"):
        dt.store(dt.ones(6), target)
    assert target.calls == 1


def test_results_and_kinds():
    assert patiently(lambda: 3) == 3
    assert is_passing(TimeoutError())
    assert not is_passing(KeyError("a"))
