import pytest

import dask_tapestry as dt
from dask_tapestry.array import deferred
from dask_tapestry.array.deferred import CountRun


@pytest.fixture
def masked():
    x = dt.asarray([0, 1, 2, 3, 4, 5, 6, 7])
    return x[x > 3].deferred


def test_it_runs_its_count_graph_once(masked):
    runs = []

    def run(counts, keep):
        runs.append(counts)
        return CountRun(dt.Array(counts).compute(), tuple(keep))

    first = masked.resolve(run)
    assert first is masked.resolve(run)
    assert first is masked.known()
    assert len(runs) == 1
    assert first.type.shape == (4,)


def test_no_workers_are_an_error_and_no_hang(masked, monkeypatch):
    class Client:
        asynchronous = False

        def scheduler_info(self, n_workers):
            return {"workers": {}}

    monkeypatch.setattr(deferred, "live_client", Client)
    with pytest.raises(dt.PlanError, match="no workers"):
        masked.resolve(None)


def test_an_asynchronous_client_is_told_to_await(masked, monkeypatch):
    class Client:
        asynchronous = True

    monkeypatch.setattr(deferred, "live_client", Client)
    with pytest.raises(dt.PlanError, match="await dt"):
        masked.resolve(None)
