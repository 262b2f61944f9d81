import os

import pytest

from dask_tapestry_kernels.jit.private_folder import fault

OTHER = 12345  # a user that is not this one

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root gives folders away")


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / "outer" / "inner"
    path.mkdir(parents=True, mode=0o700)
    path.parent.chmod(0o755)
    return path


def test_a_folder_of_the_user_alone(folder):
    assert not fault(folder)


@pytest.mark.parametrize("mode", [0o770, 0o707, 0o777, 0o1777])
def test_one_that_others_write_to(folder, mode):
    folder.chmod(mode)
    assert f"others may write to it (mode {mode:o})" in fault(folder)


@pytest.mark.parametrize("mode", [0o707, 0o777, 0o757])
def test_one_that_others_replace(folder, mode):
    folder.parent.chmod(mode)
    assert f"others may replace what is in {folder.parent}" in fault(folder)


def test_one_in_a_folder_that_keeps_entries_to_their_owners(folder):
    folder.parent.chmod(0o1777)
    assert not fault(folder)


@as_root
def test_one_of_somebody_else(folder):
    os.chown(folder, OTHER, OTHER)
    assert fault(folder) == f"it belongs to user {OTHER}, not 0"


@as_root
def test_one_within_a_folder_of_somebody_else(folder):
    os.chown(folder.parent, OTHER, OTHER)
    assert fault(folder) == f"{folder.parent}, which it is in, belongs to user {OTHER}"


@as_root
@pytest.mark.parametrize(("group", "well"), [(0, True), (OTHER, False)])
def test_a_folder_that_a_group_writes_to(folder, group, well):
    """The user's own group is nobody else."""
    folder.parent.chmod(0o775)
    os.chown(folder.parent, 0, group)
    assert (not fault(folder)) == well


def test_what_is_no_folder(tmp_path):
    (tmp_path / "file").write_text("")
    assert fault(tmp_path / "file") == "it is no folder"
    (tmp_path / "link").symlink_to(tmp_path)
    assert fault(tmp_path / "link") == "it is no folder"
