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
