import tracemalloc
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import zarr
from hypothesis import given
from hypothesis import strategies as st
from numcodecs import Delta
from zarr.codecs import BloscCodec, Crc32cCodec, GzipCodec, ZstdCodec

import dask_tapestry as dt
from dask_tapestry.memory import buffer_pool
from dask_tapestry.memory.buffer_pool import POOL

CELLS = np.arange(35.0).reshape(5, 7)
DTYPES = [*"?bBhHiIlLefdFD", "M8[ns]", "m8[s]", "M8[D]", ">f8", ">i4", ">M8[ns]"]


def cells_of(dtype):
    """Six cells of a dtype, the last zero."""
    kind = np.dtype(dtype).kind
    base = np.array([1, 0, 1, 2, 3, 0])
    return base.astype("i8").astype(dtype) if kind in "Mm" else base.astype(dtype)


@pytest.mark.filterwarnings("ignore:The data type:zarr.errors.UnstableSpecificationWarning")
@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.parametrize("dtype", [*DTYPES, "S5", "U3", "V4"])
def test_every_dtype(dtype, zarr_format):
    data = cells_of(dtype) if np.dtype(dtype).kind not in "SUV" else np.zeros(6, dtype)
    store = zarr.storage.MemoryStore()
    options = {"shape": data.shape, "dtype": data.dtype, "chunks": (4,)}
    zarr.create_array(store, **options, zarr_format=zarr_format)[:] = data
    x = dt.from_zarr(store)
    assert x.dtype == data.dtype.newbyteorder("=")
    result = x.compute()
    assert result.dtype == x.dtype
    np.testing.assert_array_equal(result, data)


@pytest.mark.parametrize("order", ["C", "F"])
def test_version_2_in_either_order(tmp_path, order):
    options = {"chunks": (2, 3), "order": order, "zarr_format": 2}
    z = zarr.create_array(tmp_path / "x", shape=CELLS.shape, dtype="f8", **options)
    z[...] = CELLS
    x = dt.from_zarr(tmp_path / "x")
    np.testing.assert_array_equal((x + 1).compute(), CELLS + 1)
    np.testing.assert_array_equal(x[1:4, ::-2].compute(), CELLS[1:4, ::-2])
    np.testing.assert_array_equal(x.sum(axis=0).compute(), CELLS.sum(axis=0))


def test_the_unit_of_reading_is_an_inner_chunk_of_a_shard(tmp_path):
    zarr.create_array(tmp_path / "x", data=np.ones((12, 8)), chunks=(2, 2), shards=(6, 4))
    source = dt.from_zarr(tmp_path / "x").node.operator
    assert source.chunks == (6, 4)
    assert source.read_sides == (2, 2)
    assert source.stored_bytes(dt.ZRange((5, 0), (7, 1))) == 4 * 2 * 8


def test_only_the_chunks_that_are_needed_are_read(tmp_path):
    zarr.create_array(tmp_path / "x", data=CELLS, chunks=(2, 7))
    x = dt.from_zarr(tmp_path / "x")
    (tmp_path / "x" / "c" / "2" / "0").unlink()
    (tmp_path / "x" / "c" / "1" / "0").write_bytes(b"nonsense")
    np.testing.assert_array_equal(x[:2].compute(), CELLS[:2])


@pytest.mark.parametrize("place", ["store", "group", "array", "component"])
def test_ways_to_name_an_array(tmp_path, place):
    group = zarr.open_group(tmp_path / "g", mode="w")
    array = group.create_array("a/b", data=CELLS)
    x = {
        "store": lambda: dt.from_zarr(zarr.storage.LocalStore(tmp_path / "g"), "a/b"),
        "group": lambda: dt.from_zarr(group, "a/b"),
        "array": lambda: dt.from_zarr(array),
        "component": lambda: dt.from_zarr(str(tmp_path / "g"), component="a/b"),
    }[place]()
    np.testing.assert_array_equal(x.compute(), CELLS)


def test_stored_names_of_dimensions(tmp_path):
    zarr.create_array(tmp_path / "x", data=CELLS, dimension_names=["y", None])
    assert dt.from_zarr(tmp_path / "x").dims == ("y", None)
    assert dt.from_zarr(tmp_path / "x", dims=("a", "b")).dims == ("a", "b")
    with pytest.raises(dt.ShapeError, match="dimension names"):
        dt.from_zarr(tmp_path / "x", dims=("a",))


@pytest.mark.parametrize("shape", [(), (0,), (3, 0), (1,)])
@pytest.mark.parametrize("zarr_format", [2, 3])
def test_small_shapes(shape, zarr_format):
    store = zarr.storage.MemoryStore()
    z = zarr.create_array(store, shape=shape, dtype="f8", zarr_format=zarr_format)
    z[...] = 7
    x = dt.from_zarr(store)
    np.testing.assert_array_equal((x + 1).compute(), np.full(shape, 8.0))


def test_chunks_that_were_never_written_hold_the_fill_value(tmp_path):
    zarr.create_array(tmp_path / "x", shape=(5,), dtype="f8", chunks=(2,), fill_value=9)
    np.testing.assert_array_equal(dt.from_zarr(tmp_path / "x").compute(), np.full(5, 9.0))


def test_nothing_there(tmp_path):
    with pytest.raises(dt.StoreNotFoundError) as caught:
        dt.from_zarr(tmp_path / "nowhere")
    assert isinstance(caught.value, FileNotFoundError)
    zarr.open_group(tmp_path / "g", mode="w")
    with pytest.raises(dt.StoreNotFoundError, match="g/missing"):
        dt.from_zarr(tmp_path / "g", "missing")


def test_a_corrupt_chunk_is_named(tmp_path):
    zarr.create_array(tmp_path / "x", data=np.arange(1000.0), chunks=(500,))
    chunk = tmp_path / "x" / "c" / "1"
    chunk.write_bytes(chunk.read_bytes()[:20])
    x = dt.from_zarr(tmp_path / "x")
    np.testing.assert_array_equal(x[:500].compute(), np.arange(500.0))
    with pytest.raises(dt.StoreError, match=r"cannot read \[.*\] of the Zarr array .*x"):
        x.compute()


def test_what_is_written_again_is_read_again(tmp_path):
    zarr.create_array(tmp_path / "x", data=np.zeros(3))
    assert dt.from_zarr(tmp_path / "x").sum().compute() == 0
    zarr.create_array(tmp_path / "x", data=np.ones(5), overwrite=True)
    assert dt.from_zarr(tmp_path / "x").sum().compute() == 5


@given(st.data())
def test_any_slice_of_any_chunks(data):
    rows, columns = data.draw(st.integers(1, 7)), data.draw(st.integers(1, 9))
    store = zarr.storage.MemoryStore()
    zarr.create_array(store, data=CELLS, chunks=(min(rows, 5), min(columns, 7)))
    key = tuple(
        slice(*data.draw(st.slices(n)).indices(n)[:2], data.draw(st.sampled_from([1, 2, 3])))
        for n in CELLS.shape
    )
    np.testing.assert_array_equal(dt.from_zarr(store)[key].compute(), CELLS[key])


SIDE = 600  # a chunk has 2.9 MB
STORED = {
    "plain": {"compressors": None},
    "zstd": {"compressors": "auto"},
    "rows, zstd": {"compressors": "auto", "chunks": (SIDE, 2 * SIDE)},
    "rows, crc": {"compressors": (ZstdCodec(), Crc32cCodec()), "chunks": (SIDE, 2 * SIDE)},
    "blosc": {"compressors": BloscCodec()},
    "gzip": {"compressors": GzipCodec(level=1)},
    "shards": {"compressors": None, "shards": (2 * SIDE, 2 * SIDE)},
    "shards, zstd": {"compressors": "auto", "shards": (2 * SIDE, 2 * SIDE)},
    "by zarr": {"compressors": None, "filters": Delta(dtype="f8"), "zarr_format": 2},
}


@pytest.mark.few(5)  # as unlike as so many can be
@pytest.mark.parametrize("corner", [(SIDE, 2 * SIDE), (2 * SIDE, 2 * SIDE), (700, 650)])
@pytest.mark.parametrize("layout", STORED)
def test_reading_takes_the_memory_that_is_foretold(tmp_path, layout, corner, monkeypatch):
    traced = lambda size: np.empty(size, np.uint8)  # noqa: E731  as mappings of memory are not
    monkeypatch.setattr(buffer_pool, "fresh_memory", traced)
    data = np.random.default_rng(0).random((2 * SIDE, 2 * SIDE))
    options = {"shape": data.shape, "dtype": "f8", "chunks": (SIDE, SIDE)} | STORED[layout]
    zarr.create_array(tmp_path / "x", **options)[...] = data
    source = dt.from_zarr(tmp_path / "x").node.operator
    box = dt.ZRange((0, 0), corner)
    out = np.empty(box.shape)
    source.read(box, out)
    POOL.clean()
    tracemalloc.start()
    source.read(box, out)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    np.testing.assert_array_equal(out, data[box.slices()])
    foretold = source.scratch_bytes((), box)
    assert peak < foretold + 2**17
    assert peak > 0.4 * foretold or layout in ("plain", "shards")


def test_whole_chunks_take_no_memory_but_their_own(tmp_path):
    data = np.random.default_rng(0).random((50, 8, 6))
    zarr.create_array(tmp_path / "x", data=data, chunks=(10, 8, 6))
    source = dt.from_zarr(tmp_path / "x").node.operator
    chunk, whole = 10 * 8 * 6 * 8, dt.ZRange((10, 0, 0), (30, 8, 6))
    assert source.scratch_bytes((), whole) == chunk
    assert source.strided_scratch_bytes(whole) == 2 * chunk
    for other in (((10, 0, 0), (25, 8, 6)), ((10, 0, 0), (30, 8, 5)), ((0, 0, 0), (5, 8, 6))):
        assert source.scratch_bytes((), dt.ZRange(*other)) == 2 * chunk


def test_memory_that_is_given_is_filled(tmp_path):
    zarr.create_array(tmp_path / "x", data=CELLS, chunks=(2, 3), compressors=None)
    source = dt.from_zarr(tmp_path / "x").node.operator
    assert source.fills
    out = np.empty((3, 7))
    assert source.read(dt.ZRange((1, 0), (4, 7)), out) is out
    np.testing.assert_array_equal(out, CELLS[1:4])
    np.testing.assert_array_equal(source.read(dt.ZRange((1, 0), (4, 7))), CELLS[1:4])


def test_several_threads_read_at_once(tmp_path):
    cells = np.arange(900.0 * 700).reshape(900, 700)
    zarr.create_array(tmp_path / "x", data=cells, chunks=(200, 300), compressors=BloscCodec())
    zarr.create_array(tmp_path / "y", data=cells, chunks=(200, 300), compressors=None)
    sources = [dt.from_zarr(tmp_path / name).node.operator for name in "xy"]
    boxes = [dt.ZRange((i, j), (i + 350, j + 333)) for i in range(0, 550, 50) for j in (0, 7, 367)]

    def right(box):
        return all((source.read(box) == cells[box.slices()]).all() for source in sources)

    with ThreadPoolExecutor(6) as pool:
        assert all(pool.map(right, boxes * 3))
