"""Chunks that kvikio reads to a device: a stand-in for it, whose behaviour is described there."""

import sys

import numpy as np
import pytest
import zarr

import dask_tapestry as dt
from dask_tapestry.io.chunks import zarr_on_device
from tests import kvikio_stand_in
from tests.cupy_stand_in import transfers

CELLS = np.random.default_rng(0).normal(size=(23, 17, 5))


@pytest.fixture
def kvikio(device_kernels, monkeypatch):
    """What was read by it."""
    monkeypatch.setitem(sys.modules, "kvikio", kvikio_stand_in.stand_in())
    return kvikio_stand_in.reads


def stored(path, cells=CELLS, **told):
    how = {"chunks": (6, 17, 5), "compressors": None, "filters": None, "zarr_format": 3} | told
    array = zarr.create_array(
        path, shape=cells.shape, dtype=cells.dtype, fill_value=7, serializer="auto", **how
    )
    array[...] = cells
    return path


def there(path):
    x = dt.from_zarr(path).to_device("cuda")
    transfers.clear()
    return x


CHUNKS = [(6, 17, 5), (6, 4, 5), (5, 7, 3), (1, 17, 5), (23, 17, 5), (40, 40, 40)]


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("chunks", CHUNKS)
def test_cells_that_are_not_encoded_are_read_to_the_device(chunks, version, kvikio, tmp_path):
    x = there(stored(tmp_path / "a", chunks=chunks, zarr_format=version))
    inner = (slice(None), slice(2, 15), slice(1, 4))
    for part in ((), slice(3, 9), inner, (22, 3), slice(4, 4)):
        kvikio.clear()
        found = x[part].compute()
        assert found.get().tobytes() == CELLS[part].tobytes(), part
        assert bool(kvikio) == bool(found.size)
    assert not sum(size for way, size in transfers if way == "to device")


@pytest.mark.parametrize("cut", [(23, 17, 5), (7, 17, 5), (6, 9, 2), (3, 4, 5)])
def test_bits_are_those_of_the_host_however_it_is_cut(cut, kvikio, tmp_path):
    path = stored(tmp_path / "a")
    wanted = (dt.from_zarr(path) * 2).sum(axis=0).compute()
    found = (there(path).rechunk(cut) * 2).sum(axis=0).compute()
    assert kvikio
    assert found.get().tobytes() == wanted.tobytes()


def test_whole_rows_are_read_to_their_place_and_others_by_few_rows(kvikio, tmp_path, monkeypatch):
    monkeypatch.setattr(zarr_on_device, "DEVICE_SCRATCH_BYTES", 2 * 17 * 5 * 8)
    x = there(stored(tmp_path / "a", chunks=(23, 17, 5)))
    x[3:12].compute()
    row = 17 * 5 * 8
    assert [(at, size) for _, at, size in kvikio] == [(3 * row, 9 * row)]
    kvikio.clear()
    assert x[3:8, 2:4].compute().get().tobytes() == CELLS[3:8, 2:4].tobytes()
    assert [(at // row, size // row) for _, at, size in kvikio] == [(3, 2), (5, 2), (7, 1)]


DTYPES = ("?", "i1", "u2", "f2", "f4", "i8", "c8", "c16")


@pytest.mark.parametrize("dtype", DTYPES)
def test_all_cells_that_a_device_has_are_read(dtype, kvikio, tmp_path):
    cells = CELLS > 0 if dtype == "?" else (CELLS * 9).astype(dtype)
    found = there(stored(tmp_path / "a", cells)).compute()
    assert kvikio
    assert found.get().tobytes() == cells.tobytes()


def test_one_cell_is_read(kvikio, tmp_path):
    path = stored(tmp_path / "a", np.asarray(3.5), chunks=())
    assert (there(path) + 1).compute().get() == 4.5
    assert len(kvikio) == 1


def test_chunks_that_are_not_there_have_the_fill_value(kvikio, tmp_path):
    path = stored(tmp_path / "a")
    (path / "c" / "1" / "0" / "0").unlink()
    found = there(path).compute().get()
    assert (found[6:12] == 7).all()
    assert found[12:].tobytes() == CELLS[12:].tobytes()


ENCODED = {
    "compressed": {"compressors": "auto"},
    "in shards": {"shards": (12, 17, 5), "chunks": (6, 17, 5)},
    "transposed": {"filters": [zarr.codecs.TransposeCodec(order=(2, 0, 1))]},
}


@pytest.mark.parametrize("how", ENCODED)
def test_what_is_encoded_is_read_by_the_host(how, kvikio, tmp_path):
    found = there(stored(tmp_path / "a", **ENCODED[how])).compute()
    assert not kvikio
    assert found.get().tobytes() == CELLS.tobytes()
    assert sum(size for way, size in transfers if way == "to device") == CELLS.nbytes


def test_cells_of_another_byte_order_are_read_by_the_host(kvikio, tmp_path):
    array = zarr.create_array(
        tmp_path / "a", shape=CELLS.shape, dtype=">f8", chunks=(6, 17, 5), compressors=None,
        zarr_format=2, filters=None,
    )  # fmt: skip
    array[...] = CELLS
    assert there(tmp_path / "a").compute().get().tobytes() == CELLS.tobytes()
    assert not kvikio


def test_without_kvikio_the_host_reads(device_kernels, tmp_path):
    assert not zarr_on_device.has_kvikio()
    found = there(stored(tmp_path / "a")).compute()
    assert found.get().tobytes() == CELLS.tobytes()
    assert sum(size for way, size in transfers if way == "to device") == CELLS.nbytes


def test_on_the_host_it_is_not_asked(kvikio, tmp_path):
    dt.from_zarr(stored(tmp_path / "a")).compute()
    assert not kvikio


@pytest.mark.parametrize(
    ("harm", "text"),
    [
        (lambda path: path.write_bytes(path.read_bytes()[:-8]), "it has 4072 bytes, not 4080"),
        (lambda path: path.write_bytes(path.read_bytes() + b"12345678"), "it has 4088 bytes"),
    ],
)
def test_a_chunk_of_another_size_is_told_with_its_name(harm, text, kvikio, tmp_path):
    path = stored(tmp_path / "a")
    harm(path / "c" / "1" / "0" / "0")
    with pytest.raises(dt.StoreError, match=f"(?s)to a device: cannot read chunk c/1/0/0: {text}"):
        there(path).compute()


def test_what_kvikio_refuses_is_told(kvikio, tmp_path, monkeypatch):
    def fails(self, *args):
        raise RuntimeError("cuFile error: no room")

    monkeypatch.setattr(kvikio_stand_in.CuFile, "read", fails)
    with pytest.raises(dt.StoreError, match=r"(?s)chunk c/./0/0: cuFile error.*while computing"):
        there(stored(tmp_path / "a")).compute()
