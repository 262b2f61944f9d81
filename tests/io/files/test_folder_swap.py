from pathlib import Path

import pytest

import dask_tapestry as dt
from dask_tapestry.io.files import folder_swap
from dask_tapestry.io.files.folder_swap import (
    beside_text,
    partial_path,
    remove_abandoned,
    remove_folder,
    replaced_path,
    swap_in,
)


@pytest.fixture(params=["at once", "one after the other"])
def folder(request, tmp_path, monkeypatch):
    """A folder with something beside it that is to take its place."""
    if request.param != "at once":
        monkeypatch.setattr(folder_swap, "exchange", lambda one, other: False)
    folder = tmp_path / "x"
    for path, text in ((folder, "old"), (partial_path(folder, "5f"), "new")):
        path.mkdir()
        (path / "info").write_text(text)
    return folder


def swap(folder):
    def is_in_place():
        return (folder / "info").exists() and (folder / "info").read_text() == "new"

    swap_in(partial_path(folder, "5f"), folder, is_in_place)


def test_a_folder_is_replaced_as_a_whole(folder):
    (folder / "more").write_text("old")
    swap(folder)
    assert [path.name for path in folder.parent.iterdir()] == ["x"]
    assert [(path.name, path.read_text()) for path in folder.iterdir()] == [("info", "new")]


@pytest.mark.parametrize("is_empty", [False, True])
def test_nothing_need_be_there(folder, is_empty):
    remove_folder(folder)
    if is_empty:
        folder.mkdir()
    swap(folder)
    assert (folder / "info").read_text() == "new"


def test_done_again_it_changes_nothing(folder):
    for _ in range(3):
        swap(folder)
    assert (folder / "info").read_text() == "new"


class Killed(BaseException):
    """Ends a process at one of its calls."""


@pytest.mark.parametrize("call", range(6))
def test_it_goes_on_where_it_was_stopped(folder, monkeypatch, call):
    """At each step there is a whole folder in the place, or one that is named; nothing is lost."""
    calls = [call]

    def counted(function):
        def wrapped(*args, **options):
            calls[0] -= 1
            if calls[0] < 0:
                raise Killed
            return function(*args, **options)

        return wrapped

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", counted(Path.rename))
        patch.setattr(folder_swap, "exchange", counted(folder_swap.exchange))
        patch.setattr(folder_swap, "remove_folder", counted(remove_folder))
        try:
            swap(folder)
        except Killed:
            if folder.exists():
                assert (folder / "info").read_text() in ("old", "new")
            else:
                assert str(replaced_path(partial_path(folder, "5f"))) in beside_text(folder)
                remove_abandoned(folder, lambda part: False)
                assert (replaced_path(partial_path(folder, "5f")) / "info").read_text() == "old"
    swap(folder)
    assert [path.name for path in folder.parent.iterdir()] == ["x"]
    assert (folder / "info").read_text() == "new"


def test_what_cannot_be_put_there_is_named(folder, monkeypatch):
    monkeypatch.setattr(Path, "rename", lambda one, other: _stop())
    with pytest.raises(dt.StoreError, match=r"cannot replace .*x: stopped"):
        swap(folder)


def _stop():
    raise OSError("stopped")


def test_what_failed_writes_have_left_is_deleted(tmp_path):
    names = ["x.12.tapestry-partial", "x.34.tapestry-partial", "x.56.tapestry-new"]
    others = ["x", "x.other.5f.tapestry-partial", "y.5f.tapestry-partial"]
    for name in [*names, *others, "x.78.tapestry-replaced", "x.90.tapestry-replaced"]:
        (tmp_path / name).mkdir()
    (tmp_path / "x.78.tapestry-replaced" / ".zarray").touch()
    (tmp_path / "x.ab.tapestry-partial").symlink_to(tmp_path / "y.5f.tapestry-partial")
    remove_abandoned(tmp_path / "x", lambda part: "34" not in part.name)
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {*others, "x.34.tapestry-partial", "x.78.tapestry-replaced"}


def test_only_whole_arrays_are_named(tmp_path):
    assert beside_text(tmp_path / "x") == beside_text(tmp_path / "not" / "there") == ""
    (tmp_path / "x.5f.tapestry-replaced").mkdir()
    assert beside_text(tmp_path / "x") == ""
    (tmp_path / "x.tapestry-replaced").mkdir()  # of earlier versions
    (tmp_path / "x.tapestry-replaced" / "zarr.json").touch()
    assert beside_text(tmp_path / "x").endswith("x.tapestry-replaced: rename it")
