"""Of plans that take about as long, the one in which stored values are not held."""

import pytest

import dask_tapestry as dt
from dask_tapestry.planner.search import search as searching
from dask_tapestry.planner.search import shared_reads
from tests.planner.graphs import stored

HERE = dt.Resources(1, 2, "24 GiB", local=True)
MIB = 2**20


def quadratic_means(hours=480):
    """Means over hours, of which each stored chunk has four of all places."""
    u, v = (stored((hours, 6, 42, 85), "f4", (4, 6, 42, 85)) for _ in range(2))
    return [dt.nanmean(x, axis=0) for x in (u * u, v * v, u * v)]


def planned(monkeypatch, job, shared=True, resources=HERE):
    """A plan, made with or without looking for one that holds no stored values."""
    with monkeypatch.context() as patched:
        if not shared:
            patched.setattr(searching, "with_shared_reads", lambda _space, state, _costs: state)
        return dt.plan(*job(), resources=resources)


def test_partial_results_are_held_in_place_of_what_they_are_made_of(monkeypatch):
    now, before = (planned(monkeypatch, quadratic_means, shared).cost for shared in (True, False))
    assert now["peak_worker_bytes"] < 40 * MIB < 90 * MIB < before["peak_worker_bytes"]
    assert now["seconds"] <= before["seconds"]
    assert now["bytes_read"] == before["bytes_read"]


@pytest.mark.parametrize(
    ("job", "resources"),
    [
        (quadratic_means, dt.Resources(2, 1, "24 GiB")),
        (lambda: [stored((480, 6, 42, 85), "f4", (4, 6, 42, 85)).mean(axis=0)], HERE),
        (lambda: quadratic_means(100), HERE),
    ],
    ids=["workers", "nothing held", "little"],
)
def test_no_forms_are_looked_for_where_little_is_held(monkeypatch, job, resources):
    monkeypatch.setattr(shared_reads, "choose_forms", None)
    planned(monkeypatch, job, resources=resources)
