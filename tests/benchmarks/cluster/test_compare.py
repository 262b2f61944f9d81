import pytest

from benchmarks.cluster.compare import OURS, measure
from benchmarks.cluster.works import WORKS, Stored, create, stores

IMAGES = Stored((12, 256, 256, 3), (5, 256, 256, 3), "u1")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("stores")
    for name, stored in (stores(0.0001) | {"images": IMAGES, "many images": IMAGES}).items():
        create(folder, name, stored)
    return folder


@pytest.mark.few(6)  # one function runs all
@pytest.mark.parametrize("work", WORKS)
def test_every_work_runs_on_threads(work, folder):
    row = measure(OURS, work, "threads", folder, repeats=1)
    assert row["failed"] == ""
    assert row["first"] == row["best"] > 0
    assert (row["pauses"], row["restarts"]) == (0, 0)
