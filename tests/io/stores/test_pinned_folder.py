import os
from pathlib import Path
from uuid import uuid4

import numpy as np
import pytest
import zarr

import dask_tapestry as dt
from dask_tapestry.io.chunks.zarr_chunk_io import write_box
from dask_tapestry.io.files.folder_exchange import exchange
from dask_tapestry.io.stores.pinned_folder import HANDLES, is_pinned_in, pinned
from dask_tapestry.io.stores.zarr_location import Location

pytestmark = pytest.mark.skipif(not HANDLES.is_dir(), reason="the system names no handles")


def array(path, value, **options):
    zarr.create_array(path, data=np.full((4, 6), value), chunks=(2, 3), **options)
    return Location.of(path, None, uuid4().hex)


@pytest.mark.parametrize("options", [{"compressors": None}, {}, {"shards": (4, 6)}])
@pytest.mark.parametrize("block", [np.full((4, 6), 9.0), np.zeros((4, 6))])
def test_chunks_go_to_the_folder_that_was_there(tmp_path, options, block):
    place, other = array(tmp_path / "x", 1.0, **options), array(tmp_path / "y", 2.0, **options)
    selection = (slice(0, 4), slice(0, 6))
    with pinned(place) as held:
        write_box(held, selection, block)  # what is opened here is kept by its handle
    with pinned(place) as held:
        assert is_pinned_in(place, held)
        assert exchange(tmp_path / "x", tmp_path / "y")
        assert not is_pinned_in(place, held)
        write_box(held, selection, block + 1)
        assert str(held) == str(place)
    assert (zarr.open_array(tmp_path / "x")[:] == 2).all()
    assert (zarr.open_array(tmp_path / "y")[:] == block + 1).all()
    with pinned(place) as held:
        write_box(held, selection, block + 2)
    assert (zarr.open_array(tmp_path / "x")[:] == block + 2).all()
    del other


def test_no_handle_is_left_open(tmp_path):
    dt.to_zarr(dt.zeros((40, 6)), tmp_path / "x", chunks=(2, 3))
    dt.to_zarr(dt.ones((4, 6)), tmp_path / "x", region={0: slice(1, 5)})
    held = [os.path.realpath(HANDLES / name) for name in os.listdir(HANDLES)]
    assert not [path for path in held if path.startswith(str(tmp_path))]


def test_what_cannot_be_pinned_is_where_it_was(tmp_path):
    for place in (
        Location.of(zarr.storage.MemoryStore(), None, ""),
        Location.of(tmp_path / "nothing", None, ""),
        Location.of(f"memory://{uuid4().hex}", None, ""),
    ):
        with pinned(place) as held:
            assert held is place
            assert is_pinned_in(place, held)


def test_a_component_of_a_group(tmp_path):
    zarr.open_group(tmp_path / "g").create_array("a/b", data=np.zeros(3))
    with pinned(Location.of(tmp_path / "g", "a/b", "")) as held:
        assert Path(held.store).samefile(tmp_path / "g/a/b")
        write_box(held, (slice(0, 3),), np.arange(3.0))
    assert zarr.open_array(tmp_path / "g", path="a/b")[:].tolist() == [0, 1, 2]
