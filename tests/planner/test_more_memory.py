"""More memory of workers makes no plan slower, of operators that have several forms."""

import pytest

import dask_tapestry as dt
from tests.covering import beyond
from tests.planner.graphs import stored

pytestmark = pytest.mark.slow
SIZES = ("1 GB", "2 GB", "4 GB", "16 GB")
NEARLY = 1.03  # of two plans as near, none is known to be faster
SQUARE, TALL = ((8000, 8000), "f8", (1000, 1000)), ((2_000_000, 50), "f8", (20_000, 50))
LONG, FEW = ((40_000_000,), "i8", (1_000_000,)), ((2_000_000,), "i8", (1_000_000,))
IMAGES = ((64, 3, 512, 512), "f4", (8, 3, 512, 512))

JOBS = {
    "solve": lambda: [dt.linalg.solve(stored(*SQUARE), stored((8000, 8), "f8", (1000, 8)))],
    "cholesky": lambda: [dt.linalg.cholesky(stored(*SQUARE))],
    "det": lambda: [dt.linalg.det(stored(*SQUARE))],
    "qr of a tall matrix": lambda: list(dt.linalg.qr(stored(*TALL))),
    "svd of a tall matrix": lambda: list(dt.linalg.svd(stored(*TALL), full_matrices=False)),
    "product": lambda: [stored(*SQUARE) @ stored(*SQUARE).T],
    "sort": lambda: [dt.sort(stored(*LONG))],
    "argsort": lambda: [dt.argsort(stored(*LONG))],
    "cumsum": lambda: [dt.cumsum(stored(*LONG))],
    "sum": lambda: [dt.sum(stored(*SQUARE))],
    "isin": lambda: [dt.isin(stored(*LONG), stored(*LONG))],
    "searchsorted": lambda: [dt.searchsorted(dt.sort(stored(*FEW)), stored(*LONG))],
    "take": lambda: [stored(*LONG)[stored(*FEW)]],
    "convolution": lambda: [dt.nn.conv(stored(*IMAGES), stored((8, 3, 3, 3), "f4", (8, 3, 3, 3)))],
}


def seconds(job, workers, memory):
    resources = dt.Resources(workers=workers, threads=1, memory=memory)
    return dt.plan(*JOBS[job](), resources=resources).cost["seconds"]


@pytest.mark.few(6)  # one search plans all
@pytest.mark.parametrize("workers", [2, 8])
@pytest.mark.parametrize(  # of what is made of panels, each of which takes half a minute, one
    "job", [beyond(job) if job in ("cholesky", "det") else job for job in JOBS]
)
def test_more_memory_makes_no_plan_slower(job, workers):
    taken = {memory: seconds(job, workers, memory) for memory in SIZES}
    least = float("inf")
    for memory, predicted in taken.items():
        assert predicted <= NEARLY * least, (memory, taken)
        least = min(least, predicted)
