"""Several processes on one store: a read is of one version, and no write is forgotten."""

import pytest

from tests.io.object_server import object_server
from tests.io.several_processes import KINDS, several_processes

pytestmark = pytest.mark.cluster


@pytest.fixture(params=["folder", "objects"])
def url(request, tmp_path):
    if request.param == "folder":
        yield str(tmp_path / "x.zarr")
        return
    with object_server() as server:
        yield server.url


READERS = ("reader", "reader")
REGIONS = ("0:3", "3:6", "6:9")


def checked(url, tmp_path, kinds, seconds):
    found = several_processes(url, None, tmp_path / "log", seconds, seed=1, lives=0.4, kinds=kinds)
    assert not found.wrong, "\n".join(found.wrong)
    assert found.killed
    assert found.steps["done of reader"], found.steps
    return found.steps


@pytest.mark.few(1)  # a folder or a store of objects, not both
def test_a_read_is_of_one_version_and_the_journal_is_exact(url, tmp_path):
    steps = checked(url, tmp_path, (*READERS, *REGIONS), 4)
    assert sum(steps[f"done of {writer}"] for writer in REGIONS), steps


@pytest.mark.few(1)  # a folder or a store of objects, not both
def test_a_read_is_of_one_version_while_others_overwrite_it(url, tmp_path):
    steps = checked(url, tmp_path, (*READERS, "overwriter"), 6)
    assert steps["done of overwriter"], steps


@pytest.mark.few(1)  # a folder or a store of objects, not both
def test_writes_of_the_same_chunks_at_one_time(url, tmp_path):
    kinds = ("0:6", "0:6", "4:9", "4:12")
    steps = checked(url, tmp_path, (*READERS, *kinds), 4)
    assert sum(steps[f"done of {writer}"] for writer in kinds), steps


@pytest.mark.few(1)  # a folder or a store of objects, not both
def test_regions_are_written_while_others_overwrite_the_array(url, tmp_path):
    checked(url, tmp_path, KINDS, 6)
