from types import SimpleNamespace

import numpy as np
import pytest

from dask_tapestry_kernels.bucket_blocks import BucketBlocks
from dask_tapestry_kernels.cuda.blocks import shuffle as module

ALL = (slice(None), slice(None))


@pytest.fixture
def picks(monkeypatch):
    """NumPy in place of a device; what returns has the numbers of each pick."""
    found = []

    def picked(out, table, picks, strides, base, shape):
        found.append(picks[0].numbers.tolist())
        return table[picks[0].numbers]

    gpu = SimpleNamespace(library=np, empty=np.empty, is_addressed_by_cells=lambda block: True)
    monkeypatch.setattr(module, "runtime", lambda: gpu)
    monkeypatch.setattr(module, "picked", picked)
    return found


def test_what_runs_ask_of_an_owner_is_one_pick(picks):
    requests = BucketBlocks.empty((3, 2))
    for run in range(3):
        requests.cells[run, 0] = np.array([run] * run, int)
        requests.cells[run, 1] = np.array([0, 1])
    made = module.serve(None, requests, np.arange(8.0), side=4, keep=ALL)
    assert picks == [[1, 2, 2], [0, 1] * 3]
    assert [one.tolist() for one in made.cells[:, 0]] == [[], [1], [2, 2]]
    assert [one.tolist() for one in made.cells[:, 1]] == [[4, 5]] * 3


def test_of_no_rows_nothing_is_picked(picks):
    requests = BucketBlocks.empty((1, 1))
    requests.cells[0, 0] = np.array([], int)
    made = module.serve(None, requests, np.ones((4, 2)), side=4, keep=ALL)
    assert made.cells[0, 0].shape == (0, 2)
    assert not picks
