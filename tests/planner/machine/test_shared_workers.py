import pytest

import dask_tapestry as dt
from dask_tapestry.planner.machine.shared_workers import resources_beside
from dask_tapestry.planner.tuning import MOST_HELD_SHARE

MEMORY = 256 * 2**20
WORKERS = 2


@pytest.fixture(scope="module")
def client(threads_never_pause):
    from distributed import Client

    told = {"n_workers": WORKERS, "threads_per_worker": 1, "memory_limit": MEMORY}
    with Client(processes=False, dashboard_address=":0", **told) as c:
        yield c


def persisted(share, value=1):
    """An array that takes a share of all workers' memory."""
    return dt.full(int(share * WORKERS * MEMORY), value, dtype="u1").persist()


@pytest.mark.cluster
def test_a_plan_leaves_room_for_what_others_hold(client):
    x = dt.random.default_rng(0).random((3000, 3000))
    alone = dt.plan(x.sum())
    other = persisted(0.1)
    beside = dt.plan(x.sum())
    assert alone.resources.held == 0
    assert beside.resources.held == 2 / 16, "counted in sixteenths, upwards"
    assert beside.resources.usable_bytes < alone.resources.usable_bytes
    assert "12% of it held by other arrays" in beside.explain()
    del other


@pytest.mark.cluster
def test_what_a_plan_reads_itself_is_not_held_by_others(client):
    x = persisted(0.1)
    assert dt.plan((x + 1).sum()).resources.held == 0
    assert resources_beside([]).held == 2 / 16
    del x


@pytest.mark.cluster
def test_little_is_not_counted_and_the_plan_is_found_again(client):
    y = dt.ones(100, chunks=10) + 1
    other = persisted(0.01)
    assert dt.plan(y).resources.held == 0
    del other


@pytest.mark.cluster
def test_more_than_workers_can_keep_lies_on_disk(client):
    many = [persisted(0.15, value) for value in range(3)]
    assert dt.plan(dt.ones(10) + 1).resources.held == MOST_HELD_SHARE
    del many


@pytest.mark.cluster
def test_an_error_says_what_is_held(client):
    other = persisted(0.3)
    big = dt.ones(int(0.9 * WORKERS * MEMORY), dtype="u1") + 1
    with pytest.raises(dt.MemoryLimitError, match=r"let go of persisted arrays, which hold 31%"):
        big.persist()
    del other


@pytest.mark.cluster
def test_declared_machines_are_as_they_are_declared(client):
    other = persisted(0.1)
    with dt.config(resources=dt.Resources(workers=2, threads=1, memory=MEMORY)):
        assert dt.plan(dt.ones(10) + 1).resources.held == 0
    del other


def test_saved_plans_know_what_was_held(tmp_path):
    machines = dt.Resources(workers=2, threads=1, memory="1 GiB", held=0.25)
    p = dt.plan(dt.ones(10) + 1, resources=machines)
    p.save(tmp_path / "plan.json")
    assert dt.load_plan(tmp_path / "plan.json", dt.ones(10) + 1).resources == machines
