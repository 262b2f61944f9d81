"""Jobs of the corpus are planned, and cheap ones keep to the bounds of an expert."""

import time
from types import SimpleNamespace

import pytest

import dask_tapestry as dt
from benchmarks.planner.corpus import table
from benchmarks.planner.corpus.job import GB, Cluster, Job
from benchmarks.planner.corpus.table import CORPUS, Found, find, line, summary

CHEAP = [  # to plan, of each kind of user one or more
    "zonal mean",
    "global mean by area",
    "bright cells of each frame",
    "differences of frames",
    "slide turned to Zarr",
    "images to floats",
    "normal equations",
    "standardised rows summed",
    "sums of a million keys",
    "area of a circle",
    "rows over their norms",
    "distance of two matrices",
    "scores of labels",
    "cross entropy",
    "prices of options to Zarr",
    "paths of a random walk",
]
FEW = Cluster(4, 1, 1)


def small(name="small", cluster=FEW, bound=None):
    """A formula of 32 MB."""
    x = dt.placeholder((4000, 1000), "f8", (1000, 1000))
    return Job(name, cluster, bound or cluster.bound(x.nbytes), lambda: x + 1)


@pytest.mark.few(8)  # the benchmark plans all
@pytest.mark.parametrize("name", CHEAP)
def test_a_cheap_job_keeps_to_its_bound(name):
    found = find(CORPUS[name])
    assert found.is_near, line(found)


def test_a_plan_keeps_one_bound_of_a_job_whole():
    job = small(bound=FEW.bound(4e9, again=2e9, peak=2e8, tasks=10))

    def found(read, peak):
        figures = {"bytes_read": read, "bytes_moved": 0, "peak_worker_bytes": peak, "tasks": 10}
        return Found(job, 0.0, SimpleNamespace(cost=figures))

    assert found(4e9, 2e8).is_near
    assert found(2e9, 7e8).is_near
    assert not found(4e9, 7e8).is_near
    assert found(2e9, 7e8).bound.read == 2e9


def test_a_job_that_does_not_fit_or_takes_too_long_is_told(monkeypatch):
    whole = dt.placeholder((20_000, 20_000), "f8")
    refused = find(Job("refused", FEW, FEW.bound(1), lambda: dt.linalg.eigvals(whole)))
    assert "MemoryLimitError" in line(refused)

    def plan(*_roots, **_options):
        while True:
            time.thread_time()

    with monkeypatch.context() as patched:
        patched.setattr(dt, "plan", plan)
        stopped = find(small(), most=0.05)
    assert "no plan after 0.05 s" in line(stopped)
    text = "\n".join(summary([refused, stopped, find(small())]))
    assert "within 1.2 of the bound: 1 of 3" in text
    assert "refused or not planned: 2" in text


def test_what_a_plan_reads_again_counts_as_what_another_one_moves():
    cost = {"bytes_read": 3 * GB, "bytes_moved": 0, "peak_worker_bytes": 10, "tasks": 4}
    bound = FEW.bound(2 * GB, GB, peak=10, tasks=3)
    found = Found(small(bound=bound), 0.0, SimpleNamespace(cost=cost))
    assert found.ratios == {"bytes": 1, "peak": 1, "tasks": 4 / 3}
    assert not found.is_near


def test_the_script_prints_a_line_for_each_job(monkeypatch, capsys):
    monkeypatch.setattr(table, "CORPUS", {"a": small("a"), "b": small("b")})
    monkeypatch.setattr("sys.argv", ["table.py", "--only", "a", "--explain"])
    table.main()
    text = capsys.readouterr().out
    assert text.splitlines()[1].startswith("a ")
    assert "within 1.2 of the bound: 1 of 1" in text
    assert "\nb " not in text
