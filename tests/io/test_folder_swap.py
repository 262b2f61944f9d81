from pathlib import Path

import pytest

import dask_tapestry as dt
from dask_tapestry.io.folder_swap import partial_path, remove_folder, swap_in


@pytest.fixture
def folder(tmp_path):
    """A folder with something beside it that is to take its place."""
    folder = tmp_path / "x"
    for path, text in ((folder, "old"), (partial_path(folder, "5f"), "new")):
        path.mkdir()
        (path / "cells").write_text(text)
    return folder


def test_a_folder_is_replaced_as_a_whole(folder):
    (folder / "more").write_text("old")
    swap_in(partial_path(folder, "5f"), folder)
    assert [path.name for path in folder.parent.iterdir()] == ["x"]
    assert [(path.name, path.read_text()) for path in folder.iterdir()] == [("cells", "new")]


def test_nothing_need_be_there(folder):
    remove_folder(folder)
    swap_in(partial_path(folder, "5f"), folder)
    assert (folder / "cells").read_text() == "new"


def test_done_again_it_changes_nothing(folder):
    for _ in range(3):
        swap_in(partial_path(folder, "5f"), folder)
    assert (folder / "cells").read_text() == "new"


def test_it_goes_on_where_it_was_stopped(folder, monkeypatch):
    """Between the two renames, and before what was replaced is deleted."""
    with monkeypatch.context() as patch:
        rename = Path.rename
        patch.setattr(Path, "rename", lambda a, b: rename(a, b) if a == folder else _stop())
        with pytest.raises(dt.StoreError, match="cannot replace"):
            swap_in(partial_path(folder, "5f"), folder)
    assert not folder.exists()
    swap_in(partial_path(folder, "5f"), folder)
    assert [path.name for path in folder.parent.iterdir()] == ["x"]
    assert (folder / "cells").read_text() == "new"


def test_what_other_writes_have_left_is_deleted(folder):
    for name in ("x.12", "x.other.5f", "y.5f"):
        (folder.parent / f"{name}.tapestry-partial").mkdir()
    swap_in(partial_path(folder, "5f"), folder)
    kept = {path.name for path in folder.parent.iterdir()}
    assert kept == {"x", "x.other.5f.tapestry-partial", "y.5f.tapestry-partial"}


def _stop():
    raise OSError("stopped")
