import numpy as np
import pytest
import zarr

import dask_tapestry as dt
from dask_tapestry.io.journals.stored_chunks import chunk_states, chunks_in, same_state
from dask_tapestry.io.stores.zarr_location import Location
from tests.stores import CountingStore

PLACES = {
    "folder": lambda path: str(path / "x"),
    "memory": lambda path: zarr.storage.MemoryStore(),
    "far": lambda path: CountingStore(zarr.storage.FsspecStore.from_url(f"memory://{path.name}")),
}


@pytest.mark.parametrize("kind", PLACES)
@pytest.mark.parametrize("component", [None, "a/b"])
def test_what_is_stored_is_told_wherever_it_is(tmp_path, kind, component):
    store = PLACES[kind](tmp_path)
    cells = np.ones((6, 4))
    cells[:3] = 0
    dt.to_zarr(cells, store, component, chunks=(3, 4), compressors=None, overwrite=True)
    place = Location.of(store, component, kind)
    keys = chunks_in(place, ((0, 6), (1, 3)), (3, 4))
    assert list(keys) == ["c/0/0", "c/1/0"]
    assert keys["c/1/0"] == ((3, 6), (0, 4))
    assert chunk_states(place, [*keys], False) == {"c/0/0": [None], "c/1/0": [96]}
    checked = chunk_states(place, [*keys], True)
    assert checked["c/0/0"] == [None]
    assert checked["c/1/0"][0] == 96
    dt.to_zarr(2 * cells[3:], store, component, region=(slice(3, 6), slice(None)))
    assert chunk_states(place, [*keys], True) != checked


def test_older_layouts_have_other_names(tmp_path):
    dt.to_zarr(np.ones(6), tmp_path / "x", chunks=3, zarr_format=2)
    place = Location.of(str(tmp_path / "x"), None, "older")
    assert list(chunks_in(place, ((4, 5),), (3,))) == ["1"]


@pytest.mark.parametrize(
    ("known", "found", "same"),
    [
        ([3], [3], True),
        ([3], [4], False),
        ([None], [None], True),
        ([None], [None, "5f"], True),
        ([3], [None], False),
        ([3, "5f"], [3], True),
        ([3, "5f"], [3, "5f"], True),
        ([3, "5f"], [3, "60"], False),
        ([3], [3, "5f"], False),
        ("damaged", [3], False),
    ],
)
def test_what_is_the_same(known, found, same):
    assert same_state(known, found) is same
