from uuid import uuid4

import pytest
import zarr

import dask_tapestry as dt
from dask_tapestry.io.zarr_create import create
from dask_tapestry.io.zarr_location import Location


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
