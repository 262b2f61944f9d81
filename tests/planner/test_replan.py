import logging
from types import SimpleNamespace

import pytest

import dask_tapestry as dt
from dask_tapestry.planner import replan as module
from dask_tapestry.planner.replan import as_there, coming, differs, fitted, is_worth_it

LONG = dt.sin(dt.placeholder((10**7, 10**5), "f8", stored_chunks=(10**3, 10**3))).sum()
MANY = dt.Resources(workers=64, threads=2, memory="8 GiB", store_bandwidth="1 GB/s")
FEW = dt.Resources(workers=4, threads=2, memory="16 GiB")


def client(asked=None):
    cluster = None if asked is None else SimpleNamespace(plan=set(range(asked)))
    return SimpleNamespace(asynchronous=False, cluster=cluster)


@pytest.fixture
def there(monkeypatch):
    def set_to(found):
        monkeypatch.setattr(module, "workers_of", lambda client: found)

    return set_to


@pytest.mark.parametrize("planned", [1, 2, 3, 100])
def test_up_to_twice_as_many_are_as_planned(planned):
    assert not differs(planned, planned)
    assert not differs(planned, 2 * planned)
    assert not differs(2 * planned, planned)
    assert differs(planned, 2 * planned + 1)
    assert differs(2 * planned + 1, planned)


@pytest.mark.few(3)  # as unlike as so many can be
@pytest.mark.parametrize(("asked", "workers"), [(4, 4), (1, 4), (64, 64), (None, 64), (40, 64)])
def test_workers_that_were_asked_for_are_waited_for(there, asked, workers):
    there(FEW)
    plan = dt.plan(LONG, resources=MANY).core
    assert fitted(plan, client(asked)).resources.workers == workers


def test_more_workers_are_planned_for_and_it_is_said(there, caplog):
    there(MANY)
    plan = dt.plan(LONG, resources=FEW).core
    with caplog.at_level(logging.WARNING):
        found = fitted(plan, client())
    assert found.resources.workers == 64
    assert "there are 64 workers, not the 4 that were planned for" in caplog.text
    assert len(found.written.roots) == 1
    assert found.written.roots == plan.written.roots


def test_all_but_the_number_stays_as_declared():
    found = as_there(MANY, FEW)
    assert (found.workers, found.memory, found.store_bandwidth) == (4, 8 * 2**30, 10**9)
    mixed = dt.Resources(groups=[(1, 1, "1 GiB"), (2, 2, "2 GiB")])
    assert as_there(MANY, mixed) == mixed
    assert as_there(mixed, FEW) == FEW


def test_short_jobs_and_those_without_a_cluster_are_left(there):
    there(FEW)
    plan = dt.plan(dt.ones(9).sum(), resources=MANY).core
    assert not is_worth_it(plan, FEW)
    assert fitted(plan, client(4)) is plan
    assert fitted(plan, None) is plan
    long = dt.plan(LONG, resources=MANY).core
    assert fitted(long, SimpleNamespace(asynchronous=True)) is long
    there(None)
    assert fitted(long, client(4)) is long


def test_what_a_cluster_was_asked_for():
    assert coming(client(7), 3) == 7
    assert coming(client(2), 3) == 3
    assert coming(client(), 3) is None
