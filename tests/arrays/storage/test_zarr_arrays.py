import dask.array as da
import numpy as np
import pytest
import zarr

import dask_tapestry as dt

CELLS = np.arange(35.0).reshape(5, 7)


@pytest.fixture(
    params=["path", "file url", "memory url", "zip", "memory", "local", "dict", "group"]
)
def place(request, tmp_path):
    """Where an array can be: what `to_zarr` and `from_zarr` take."""
    return {
        "path": lambda: tmp_path / "x",
        "file url": lambda: (tmp_path / "x y").as_uri(),
        "memory url": lambda: f"memory://{tmp_path.name}/x",
        "zip": lambda: tmp_path / "x.zip",
        "memory": zarr.storage.MemoryStore,
        "local": lambda: zarr.storage.LocalStore(tmp_path / "x"),
        "dict": dict,
        "group": lambda: zarr.open_group(tmp_path / "g", mode="w").create_group("inner"),
    }[request.param]()


@pytest.mark.few(5)  # as unlike as so many can be
@pytest.mark.covering
@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.parametrize("component", ["a", "a/b", None])
def test_there_and_back(place, component, zarr_format):
    if isinstance(place, zarr.Group) and (component is None or zarr_format == 2):
        component = component or "x"
        zarr_format = 3
    x = dt.asarray(CELLS).rename("y", "x")
    dt.to_zarr(x, place, component, chunks=(2, 3), zarr_format=zarr_format)
    y = dt.from_zarr(place, component)
    assert (y.dims, y.node.operator.chunks) == (("y", "x"), (2, 3))
    np.testing.assert_array_equal((y + 1).compute(), CELLS + 1)
    with pytest.raises(dt.StoreError, match="overwrite=True"):
        dt.to_zarr(x, place, component)
    if not isinstance(place, zarr.Group):
        dt.to_zarr(x * 2, place, component, overwrite=True)
        np.testing.assert_array_equal(dt.from_zarr(place, component).compute(), CELLS * 2)


@pytest.mark.parametrize("compute", [True, False])
def test_what_is_stored_is_returned(place, compute):
    stored = dt.to_zarr(CELLS, place, "a", chunks=3, compute=compute, return_stored=True)
    assert stored.shape == CELLS.shape
    np.testing.assert_array_equal((stored[2:] + 1).compute(), CELLS[2:] + 1)
    np.testing.assert_array_equal(dt.from_zarr(place, "a").compute(), CELLS)


def test_a_group_is_a_dictionary(tmp_path):
    dt.to_zarr(CELLS, tmp_path, "a/b")
    dt.to_zarr(CELLS * 2, tmp_path, "c", zarr_format=3)
    zarr.open_group(tmp_path, mode="a").create_group("empty")
    found = dt.from_zarr(tmp_path)
    assert list(found) == ["a/b", "c"]
    np.testing.assert_array_equal((found["a/b"] + found["c"]).compute(), CELLS * 3)
    assert list(dt.from_zarr(tmp_path, "a")) == ["b"]
    assert dt.from_zarr(tmp_path, "empty") == {}
    assert list(dt.from_zarr(zarr.open_group(tmp_path)["a"])) == ["b"]
    with pytest.raises(dt.StoreNotFoundError):
        dt.from_zarr(tmp_path, "nothing")


def test_a_group_with_a_write_that_failed(tmp_path):
    dt.to_zarr(CELLS, tmp_path, "a")
    zarr.open_array(tmp_path / "a", mode="r+").attrs["dask_tapestry"] = {"complete": False}
    with pytest.raises(dt.StoreError, match="a is incomplete"):
        dt.from_zarr(tmp_path)


def test_the_format_is_that_of_the_group(tmp_path):
    zarr.open_group(tmp_path / "g", mode="w", zarr_format=2)
    dt.to_zarr(CELLS, tmp_path / "g", "a")
    assert zarr.open_array(tmp_path / "g" / "a").metadata.zarr_format == 2
    with pytest.raises(dt.StoreError, match="group of format 2"):
        dt.to_zarr(CELLS, tmp_path / "g", "b", zarr_format=3)


def test_chunks_and_placement(tmp_path):
    dt.to_zarr(CELLS, tmp_path / "x", chunks=(2, 3))
    x = dt.from_zarr(tmp_path / "x", chunks=(4, 7), name="x", inline_array=True)
    assert x.chunks == ((4, 1), (7,))
    assert dt.from_zarr(tmp_path / "x", workers="w").node.operator.name == "placement"
    with pytest.raises(TypeError, match="spelling"):
        dt.from_zarr(tmp_path / "x", spelling=1)


def test_options_of_a_file_system(tmp_path):
    store = f"memory://{tmp_path.name}/x"
    options = {"use_listings_cache": False}
    dt.to_zarr(CELLS, store, storage_options=options)
    np.testing.assert_array_equal(dt.from_zarr(store, storage_options=options).compute(), CELLS)
    with pytest.raises(dt.StoreError, match="cannot reach nosuchprotocol://x: Protocol not known"):
        dt.to_zarr(CELLS, "nosuchprotocol://x")


@pytest.mark.parametrize("region", [(slice(1, 3), slice(2, 6)), {"x": slice(2, 6)}, {0: 2}, (-1,)])
def test_a_region(tmp_path, region):
    dt.to_zarr(dt.zeros((5, 7)).rename("y", "x"), tmp_path / "x", chunks=(2, 3))
    key = (
        {"x": (slice(None), slice(2, 6)), 0: (2,)}[next(iter(region))]
        if isinstance(region, dict)
        else region
    )
    expected = np.zeros((5, 7))
    expected[key] = CELLS[key]
    with dt.config(block_bytes=8):
        dt.to_zarr(CELLS[key], tmp_path / "x", region=region)
    np.testing.assert_array_equal(dt.from_zarr(tmp_path / "x").compute(), expected)
    with pytest.raises(dt.StoreNotFoundError):
        dt.to_zarr(CELLS[key], tmp_path / "nowhere", region=region)


def test_an_append_returns_the_new_part(tmp_path):
    dt.to_zarr(CELLS, tmp_path / "x")
    new = dt.to_zarr(CELLS * 2, tmp_path / "x", append_dim=0, compute=False, return_stored=True)
    assert dt.from_zarr(tmp_path / "x").shape == (5, 7)
    np.testing.assert_array_equal(new.compute(), CELLS * 2)
    assert dt.from_zarr(tmp_path / "x").shape == (10, 7)


def test_a_zip_file_that_was_not_finished_is_not_there(tmp_path):
    class Failing:
        shape, dtype, broken = (5, 7), np.dtype("f8"), True

        def __getitem__(self, key):
            if self.broken:
                raise OSError("the disk is on fire")
            return CELLS[key]

    sink = dt.to_zarr(dt.from_array(Failing()), tmp_path / "x.zip", chunks=3, compute=False)
    with pytest.raises(OSError, match="on fire"):
        sink.compute()
    assert not (tmp_path / "x.zip").exists()
    Failing.broken = False
    sink.compute()
    np.testing.assert_array_equal(dt.from_zarr(tmp_path / "x.zip").compute(), CELLS)
    assert [path.name for path in tmp_path.iterdir()] == ["x.zip"]


def test_arrays_in_an_open_zip_file(tmp_path):
    with zarr.storage.ZipStore(tmp_path / "x.zip", mode="w") as store:
        dt.to_zarr(CELLS, store, "a")
        dt.to_zarr(CELLS * 2, store, "b/c")
        with pytest.raises(dt.StoreError, match="overwrite"):
            dt.to_zarr(CELLS, store, "a")
    found = dt.from_zarr(tmp_path / "x.zip")
    assert list(found) == ["a", "b/c"]
    np.testing.assert_array_equal(found["b/c"].compute(), CELLS * 2)


def test_dask_reads_what_is_written_and_the_reverse(tmp_path):
    dt.to_zarr(CELLS, tmp_path / "x", chunks=(2, 7))
    np.testing.assert_array_equal(da.from_zarr(str(tmp_path / "x")).compute(), CELLS)
    da.from_array(CELLS, chunks=3).to_zarr(str(tmp_path / "y"))
    np.testing.assert_array_equal(dt.from_zarr(tmp_path / "y").compute(), CELLS)


@pytest.mark.parametrize("mode", ["r", "read-only folder"])
def test_what_cannot_be_written_to(tmp_path, mode):
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(dt.StoreError, match="cannot create"):
        dt.to_zarr(CELLS, tmp_path / "file" / "x")
    with pytest.raises(dt.StoreError):
        dt.to_zarr(CELLS, zarr.storage.LocalStore(tmp_path / "y", read_only=True))
    assert not (tmp_path / "y").exists()


def test_structured_cells_there_and_back(tmp_path):
    data = np.array([(1, 2.5), (3, 4.5)], [("a", "i4"), ("b", "f8")])
    dt.to_zarr(data, tmp_path / "x", zarr_format=2)
    x = dt.from_zarr(tmp_path / "x")
    assert x.dtype == data.dtype
    np.testing.assert_array_equal(x.compute(), data)
