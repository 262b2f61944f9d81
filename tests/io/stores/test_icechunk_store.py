import pickle

import icechunk
import pytest

from dask_tapestry.errors import StoreError
from dask_tapestry.io.stores.icechunk_store import (
    committed,
    forked,
    is_icechunk,
    merged,
    name_of,
    packed,
    write_block,
)


@pytest.fixture
def repo(tmp_path):
    return icechunk.Repository.create(icechunk.local_filesystem_storage(str(tmp_path)))


def test_stores_are_told_apart(repo):
    assert is_icechunk(repo.readonly_session("main").store)
    assert not is_icechunk({})


def test_a_version_is_named_by_its_snapshot(repo):
    session = repo.readonly_session("main")
    assert name_of(session.store) == f"icechunk:{session.snapshot_id}"


def test_forks_are_of_sessions_that_may_write(repo):
    for wrong in (repo.readonly_session("main"), repo, None):
        with pytest.raises(StoreError, match=r"read only|is needed"):
            forked(wrong)


def test_each_write_has_a_fork_of_its_own(repo):
    import zarr

    session = repo.writable_session("main")
    fork = forked(session)
    zarr.create_array(fork.store, name="x", shape=4, chunks=2, dtype="i8")
    start = packed(fork)
    written = [write_block(start, "x", [(at, at + 2)], [at, at + 1]) for at in (0, 2)]
    session.merge(pickle.loads(merged(*written)))
    assert zarr.open_array(session.store, path="x")[...].tolist() == [0, 1, 2, 3]
    with pytest.raises(StoreError, match="nothing is committed"):
        write_block(start, "nothing", [(0, 2)], [1, 2])
    committed(session, "numbers", {"plan": "p"})
    (found, *_) = repo.ancestry(branch="main")
    assert found.metadata == {"dask_tapestry": {"plan": "p"}}
