from uuid import uuid4

import pytest
import zarr

import dask_tapestry as dt
from dask_tapestry.io.journals.write_record import RecordedWrite
from dask_tapestry.io.journals.writer_id import WriterId
from dask_tapestry.io.journals.zarr_journal import is_incomplete
from dask_tapestry.io.sinks import zarr_create
from dask_tapestry.io.sinks.zarr_create import create, create_begun
from dask_tapestry.io.stores.stored_objects import MemoryObjects
from dask_tapestry.io.stores.zarr_location import Location


def test_what_is_there_is_not_overwritten_unasked(tmp_path):
    place = Location.of(tmp_path / "x", None, uuid4().hex)
    create(place, overwrite=False, shape=(6,), dtype="i8")
    with pytest.raises(dt.StoreError, match="cannot create"):
        create(place, overwrite=False, shape=(3,), dtype="i4")
    create(place, overwrite=True, shape=(3,), dtype="i4")
    assert zarr.open_array(tmp_path / "x").shape == (3,)


def test_a_group_may_be_created_by_another_task_meanwhile(tmp_path, monkeypatch):
    simply = zarr.open_group
    calls = []

    def open_group(*args, **kwargs):
        calls.append(kwargs)
        if len(calls) == 1:
            simply(*args, **kwargs)
            raise zarr.errors.ContainsGroupError(f"A group exists in store {tmp_path} at path ''.")
        return simply(*args, **kwargs)

    monkeypatch.setattr(zarr, "open_group", open_group)
    create(Location.of(tmp_path, "b/c", uuid4().hex), overwrite=False, shape=(6,), dtype="i8")
    assert len(calls) == 2
    assert simply(tmp_path)["b/c"].shape == (6,)


@pytest.mark.parametrize("before", ["clear", "create"])
def test_two_that_overwrite_one_place(monkeypatch, before):
    """The other does all of it between two steps of the first, which deletes nothing unseen."""
    store = zarr.storage.MemoryStore()
    dt.to_zarr(dt.zeros(4), store, chunks=(2,))
    place = Location.of(store, None, uuid4().hex)
    where = MemoryObjects if before == "clear" else zarr_create
    step = getattr(where, before)

    def after_the_other(*arguments, **options):
        monkeypatch.setattr(where, before, step)
        dt.to_zarr(dt.ones(4), store, chunks=(2,), overwrite=True)
        return step(*arguments, **options)

    monkeypatch.setattr(where, before, after_the_other)
    first = RecordedWrite("first", "a run", ((0, 4),))
    options = {"shape": (4,), "dtype": "f8", "chunks": (2,), "zarr_format": 3}
    with pytest.raises(dt.StoreError, match=r"another write has replaced|cannot create"):
        create_begun(place, first, WriterId("first", "a run"), True, options)
    assert is_incomplete(place) == (before == "clear")
    dt.to_zarr(dt.full(4, 2.0), store, chunks=(2,), overwrite=True)
    assert dt.from_zarr(store).compute().tolist() == [2] * 4
