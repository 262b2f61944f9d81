from threading import Thread
from time import monotonic

import pytest

from dask_tapestry.io.files import file_locks
from dask_tapestry.io.files.file_locks import shared_lock, wait_until_free


@pytest.fixture
def path(tmp_path):
    (tmp_path / "x").write_bytes(b"")
    return tmp_path / "x"


def test_several_share_a_lock_and_one_waits_for_all(path):
    order = []
    with shared_lock(path):
        with shared_lock(path):
            waiting = Thread(target=lambda: (wait_until_free(path), order.append("free")))
            waiting.start()
        waiting.join(0.1)
        order.append("held")
    waiting.join()
    assert order == ["held", "free"]


def test_nobody_waits_for_ever(path, monkeypatch):
    monkeypatch.setattr(file_locks, "LOCK_PATIENCE_SECONDS", 0.05)
    began = monotonic()
    with shared_lock(path):
        wait_until_free(path)
    assert monotonic() - began >= 0.05


def test_what_is_not_there_is_free(tmp_path):
    with shared_lock(tmp_path / "nothing"):
        wait_until_free(tmp_path / "nothing")
