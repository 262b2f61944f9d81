import icechunk
import numpy as np
import pytest
import zarr

import dask_tapestry as dt
from dask_tapestry.arrays.storage import icechunk_arrays as module

CELLS = np.arange(60 * 40.0).reshape(60, 40)


@pytest.fixture
def repo(tmp_path):
    return icechunk.Repository.create(icechunk.local_filesystem_storage(str(tmp_path)))


def read(repo, path="x"):
    return dt.from_zarr(repo.readonly_session("main").store, path)


def snapshots(repo):
    return [one.id for one in repo.ancestry(branch="main")]


@pytest.mark.parametrize("layout", [{"chunks": (7, 40)}, {"chunks": (10, 20), "shards": (20, 40)}])
@pytest.mark.parametrize("bytes_", [8, 2**25])
def test_arrays_are_written_in_one_commit(repo, monkeypatch, layout, bytes_):
    monkeypatch.setattr(module, "TASK_BYTES", bytes_)
    before = snapshots(repo)
    session = repo.writable_session("main")
    made = dt.to_icechunk(dt.asarray(CELLS) + 1, session, "a/x", commit="cells", **layout)
    assert snapshots(repo) == [made, *before]
    np.testing.assert_array_equal(read(repo, "a/x").compute(), CELLS + 1)
    store = repo.readonly_session("main").store
    np.testing.assert_array_equal(zarr.open_array(store, path="a/x", mode="r")[...], CELLS + 1)
    (said, *_) = repo.ancestry(branch="main")
    assert said.message == "cells"
    assert said.metadata["dask_tapestry"]["paths"] == ["a/x"]
    assert len(said.metadata["dask_tapestry"]["plan"]) == 32


def test_several_arrays_and_their_own_commit(repo):
    session = repo.writable_session("main")
    x = dt.asarray(CELLS)
    assert dt.to_icechunk({"x": x, "g/mean": x.mean(axis=0), "one": x.sum()}, session) is None
    with pytest.raises(dt.StoreNotFoundError):
        read(repo)
    session.commit("by myself")
    found = dt.from_zarr(repo.readonly_session("main").store)
    assert sorted(found) == ["g/mean", "one", "x"]
    np.testing.assert_array_equal(found["g/mean"].compute(), CELLS.mean(axis=0))
    assert float(found["one"].compute()) == CELLS.sum()


@pytest.mark.parametrize("x", [np.zeros((0, 3)), np.float32(7), np.ones((1, 1), "i2")], ids=repr)
def test_arrays_of_few_cells(repo, x):
    dt.to_icechunk(x, repo.writable_session("main"), "x", commit="few")
    found = read(repo)
    assert found.dtype == x.dtype
    np.testing.assert_array_equal(found.compute(), x)


def test_what_is_there_is_replaced_only_if_that_is_asked_for(repo):
    dt.to_icechunk(dt.ones(6), repo.writable_session("main"), "x", commit="first")
    with pytest.raises(dt.StoreError, match="give overwrite=True"):
        dt.to_icechunk(dt.zeros(3), repo.writable_session("main"), "x", commit="second")
    session = repo.writable_session("main")
    dt.to_icechunk(read(repo) * 2, session, "x", commit="second", overwrite=True)
    np.testing.assert_array_equal(read(repo).compute(), np.full(6, 2.0))


def test_a_job_that_fails_leaves_branch_and_session_as_they_were(repo):
    def work(block):
        raise OSError("the disk is on fire")

    before, session = snapshots(repo), repo.writable_session("main")
    x = dt.map_blocks(work, dt.ones((8, 4)), dtype="f8")
    with pytest.raises(OSError, match="on fire"):
        dt.to_icechunk(x, session, "x", commit="never")
    assert snapshots(repo) == before
    assert not session.has_uncommitted_changes
    dt.to_icechunk(dt.ones(3), session, "x", commit="again")
    assert len(snapshots(repo)) == len(before) + 1


def test_two_jobs_at_once_conflict(repo):
    dt.to_icechunk(dt.ones(6), repo.writable_session("main"), "x", commit="first")
    one, other = (repo.writable_session("main") for _ in range(2))
    made = dt.to_icechunk(dt.zeros(6), one, "x", commit="one", overwrite=True)
    with pytest.raises(dt.StoreError, match=r"'main' .* has another commit since"):
        dt.to_icechunk(dt.full(6, 2.0), other, "x", commit="other", overwrite=True)
    assert snapshots(repo)[0] == made
    np.testing.assert_array_equal(read(repo).compute(), np.zeros(6))


def test_what_cannot_be_done_says_so(repo):
    read_only = repo.readonly_session("main")
    with pytest.raises(dt.StoreError, match="read only"):
        dt.to_icechunk(dt.ones(3), read_only, "x")
    with pytest.raises(dt.StoreError, match="is needed"):
        dt.to_icechunk(dt.ones(3), repo, "x")
    session = repo.writable_session("main")
    with pytest.raises(dt.StoreError, match=r"dt\.to_icechunk"):
        dt.to_zarr(dt.ones(3), session.store, "x", resume=True)
    with pytest.raises(dt.ArgumentTypeError, match="dictionary"):
        dt.to_icechunk({"x": dt.ones(3)}, session, "x")
    with pytest.raises(dt.StoreError, match="names nothing within"):
        dt.to_icechunk(dt.ones(3), session, "../x")
    zarr.open_group(session.store).attrs["a"] = 1
    with pytest.raises(dt.StoreError, match="uncommitted changes"):
        dt.to_icechunk(dt.ones(3), session, "x")
    session.commit("an attribute")
    dt.to_icechunk(dt.ones(3), repo.writable_session("main"), "x", commit="x")
    target = zarr.open_array(repo.writable_session("main").store, path="x")
    with pytest.raises(dt.StoreError, match=r"dt\.to_icechunk"):
        dt.store(dt.ones(3), target)


@pytest.mark.cluster
def test_workers_write_forks_and_a_job_whose_workers_die_commits_nothing(repo):
    from distributed import Client, LocalCluster

    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    with LocalCluster(processes=True, **options) as cluster, Client(cluster):
        session = repo.writable_session("main")
        dt.to_icechunk(dt.asarray(CELLS), session, "x", chunks=(3, 40), commit="by workers")
        np.testing.assert_array_equal(read(repo).compute(), CELLS)
        before = snapshots(repo)

        def work(block):
            import os

            os._exit(1)

        x = dt.map_blocks(work, dt.from_zarr(repo.readonly_session("main").store, "x"), dtype="f8")
        session = repo.writable_session("main")
        with pytest.raises(Exception, match=r"."):
            dt.to_icechunk(x, session, "x", commit="never", overwrite=True)
        assert snapshots(repo) == before
