import dask
import numpy as np
import pytest

from benchmarks.cluster.compare import LIBRARIES, library, line, ratio
from benchmarks.cluster.works import WORKS, Stored, create, stores

IMAGES = Stored((12, 256, 256, 3), (5, 256, 256, 3), "u1")
SMALL = {"images": IMAGES, "many images": IMAGES}
SHORT = [name for name in WORKS if name != "heat"]  # which takes dask.array minutes


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("stores")
    for name, stored in (stores(0.0001) | SMALL).items():
        create(folder, name, stored)
    return folder


@pytest.mark.few(5)  # the works are compared in the benchmark too
@pytest.mark.parametrize("work", SHORT)
def test_libraries_agree(work, folder):
    """What a work returns; writes return nothing."""
    ours, theirs = (
        dask.compute(*WORKS[work].make(library(name, folder)), scheduler="sync")
        for name in reversed(LIBRARIES)
    )
    for mine, other in zip(ours, theirs, strict=True):
        if mine is not None and other is not None:
            np.testing.assert_allclose(mine, other, rtol=1e-4, atol=1e-3)


def test_a_row_tells_seconds_memory_and_failures():
    done = {"work": "sum", "first": 2.0, "best": 1.0, "peak": 5e7, "scheduler": 0.1}
    done |= {"pauses": 0, "restarts": 1}
    rows = [done | {"library": LIBRARIES[0]}, done | {"library": LIBRARIES[1], "best": 0.5}]
    assert ratio(rows) == 2.0
    assert "0p 1r" in line(rows)
    lost = {"work": "sum", "library": LIBRARIES[1], "best": None, "failed": "KilledWorker"}
    assert ratio([rows[0], lost]) is None
    assert "KilledWorker" in line([rows[0], lost])
