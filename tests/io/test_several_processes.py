"""Several processes on one store: a read is of one version, and no write is forgotten."""

import pytest

from tests.io.object_server import object_server
from tests.io.several_processes import several_processes

pytestmark = pytest.mark.cluster


@pytest.fixture(params=["folder", "objects"])
def url(request, tmp_path):
    if request.param == "folder":
        yield str(tmp_path / "x.zarr")
        return
    with object_server() as server:
        yield server.url


def test_a_read_is_of_one_version_and_the_journal_is_exact(url, tmp_path):
    found = several_processes(url, None, tmp_path / "log", seconds=10, seed=1, lives=1)
    assert not found.wrong, "\n".join(found.wrong)
    assert found.killed
    assert found.steps["done of reader"], found.steps
    assert found.steps["done of overwriter"], found.steps
    assert sum(found.steps[f"done of writer{n}"] for n in range(3)), found.steps
