import ctypes
import errno

import pytest

from dask_tapestry.io.files import folder_exchange
from dask_tapestry.io.files.folder_exchange import exchange


def test_two_folders_change_places(tmp_path):
    for name in "ab":
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text(name)
    assert exchange(tmp_path / "a", tmp_path / "b"), "Linux can"
    assert [(tmp_path / name / "file").read_text() for name in "ab"] == ["b", "a"]


def test_what_is_not_there_is_an_error(tmp_path):
    (tmp_path / "a").mkdir()
    with pytest.raises(FileNotFoundError):
        exchange(tmp_path / "a", tmp_path / "b")


@pytest.mark.parametrize("number", [None, errno.EINVAL, errno.ENOSYS])
def test_where_the_system_cannot(tmp_path, monkeypatch, number):
    def refuses(*args):
        ctypes.set_errno(number)
        return -1

    monkeypatch.setattr(folder_exchange, "_renameat2", lambda: None if number is None else refuses)
    assert not exchange(tmp_path, tmp_path)
