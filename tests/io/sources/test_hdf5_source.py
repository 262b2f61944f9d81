import errno
import io
import pickle
from types import SimpleNamespace

import h5py
import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.io.journals.journal import JOURNAL
from dask_tapestry.io.sources import hdf5_source
from dask_tapestry.io.sources.hdf5_source import is_dataset
from dask_tapestry.io.stores import retry_policy
from dask_tapestry.io.stores.retries import forget_retries, retries
from dask_tapestry.zspace import ZRange

CELLS = np.arange(600.0).reshape(20, 30)


@pytest.fixture
def path(tmp_path):
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file.create_dataset("g/x", data=CELLS, chunks=(3, 7), compression="gzip")
        file.create_dataset("flat", data=CELLS)
    return tmp_path / "x.h5"


def test_its_chunks_are_stored_chunks(path):
    with h5py.File(path) as file:
        x = dt.from_array(file["g/x"])
        assert is_dataset(file["g/x"])
        assert x.node.operator.chunks == (3, 7)
        assert x.node.operator.stored_bytes(ZRange((2, 0), (4, 1))) == 6 * 7 * 8
        np.testing.assert_array_equal((x + 1)[4:9, ::5].compute(), CELLS[4:9, ::5] + 1)
        assert dt.asarray(file["flat"]).node.operator.chunks is None
        assert dt.from_array(file["flat"], dims=("y", "x")).dims == ("y", "x")
        with pytest.raises(dt.ShapeError, match="dimension names"):
            dt.from_array(file["flat"], dims=("y",))


def test_only_what_is_asked_for_is_read(path, monkeypatch):
    keys, read, put = [], h5py.Dataset.__getitem__, h5py.Dataset.read_direct

    def recorded(self, key, *rest):
        keys.append(key)
        return read(self, key, *rest)

    def recorded_too(self, out, key):
        keys.append(key)
        return put(self, out, key)

    monkeypatch.setattr(h5py.Dataset, "__getitem__", recorded)
    monkeypatch.setattr(h5py.Dataset, "read_direct", recorded_too)
    with h5py.File(path) as file:
        dt.from_array(file["g/x"])[2:4, 5].compute()
    cells = [(r, c) for rows, cs in keys for r in range(8)[rows] for c in range(8)[cs]]
    assert sorted(cells) == [(2, 5), (3, 5)]


def test_a_closed_file_is_opened_to_read(path):
    with h5py.File(path) as file:
        x = dt.from_array(file["g/x"])
    np.testing.assert_array_equal(x.compute(), CELLS)
    with h5py.File(path, "r+") as file:
        file["g/x"][0, 0] = 5
    path.unlink()
    with pytest.raises(dt.StoreNotFoundError, match=r"no HDF5 file .*x\.h5"):
        x.compute()


def test_it_travels_by_name_where_another_process_may_read(path):
    with h5py.File(path) as file:
        operator = dt.from_array(file["g/x"]).node.operator
        far = pickle.loads(pickle.dumps(operator))
        assert (far, far.data, operator.local_only) == (operator, None, None)
        np.testing.assert_array_equal(far.read(ZRange((1, 1), (3, 3))), CELLS[1:3, 1:3])


@pytest.mark.parametrize("kind", ["writing", "memory", "object"])
def test_it_does_not_travel_from_where_no_other_may_read(path, kind):
    options = {
        "writing": lambda: h5py.File(path, "r+"),
        "memory": lambda: h5py.File("core", "w", driver="core", backing_store=False),
        "object": lambda: h5py.File(io.BytesIO(), "w"),
    }
    with options[kind]() as file:
        file["y"] = CELLS
        x = dt.from_array(file["y"])
        np.testing.assert_array_equal(x[3].compute(), CELLS[3])
        with pytest.raises(dt.StoreError, match="another process cannot read it"):
            pickle.dumps(x.node.operator)


@pytest.mark.parametrize("dtype", [*"?bBhHiIlLqQefdFD", ">f4", "S4"])
def test_every_dtype(tmp_path, dtype):
    data = np.array([1, 0, 1, 2, 3, 0]).astype(dtype)
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file["x"] = data
        x = dt.from_array(file["x"])
        assert x.dtype == data.dtype.newbyteorder("=")
        np.testing.assert_array_equal(x.compute(), data)


def test_strings_of_varying_length_are_objects(tmp_path):
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file["x"] = ["a", "bc", ""]
        x = dt.from_array(file["x"], chunks=2)
        assert x.dtype == object
        assert x.compute().tolist() == file["x"][()].tolist() == [b"a", b"bc", b""]
        assert (x == b"bc").compute().tolist() == [False, True, False]


def test_a_closed_dataset_is_refused(path):
    with h5py.File(path) as file:
        data = file["flat"]
    with pytest.raises(dt.StoreError, match="closed"):
        dt.from_array(data)


@pytest.mark.parametrize("is_open", [True, False])
def test_a_corrupt_chunk_is_named(tmp_path, is_open):
    path = tmp_path / "x.h5"
    with h5py.File(path, "w") as file:
        file.create_dataset("x", data=CELLS, chunks=(2, 3), compression="gzip")
        place = file["x"].id.get_chunk_info(1)
    with open(path, "r+b") as raw:
        raw.seek(place.byte_offset)
        raw.write(b"?" * place.size)
    with h5py.File(path) as file:
        x = dt.from_array(file["x"])
        if not is_open:
            file.close()
        named = rf"cannot read \[.*\] of /x of the HDF5 file {path}: "
        with pytest.raises(dt.StoreError, match=named):
            x.compute()


def test_a_dataset_that_has_changed_is_named(tmp_path):
    path = tmp_path / "x.h5"
    with h5py.File(path, "w") as file:
        file["x"] = CELLS
    with h5py.File(path) as file:
        x = dt.from_array(file["x"])
    with h5py.File(path, "w") as file:
        file["x"] = CELLS[:2]
    with pytest.raises(dt.StoreError, match=r"cannot read \[.*\] of /x of .*x\.h5: .* returned"):
        x.compute()
    with h5py.File(path, "w") as file:
        file["y"] = CELLS
    with pytest.raises(dt.StoreError, match=r"cannot read \[.*\] of /x of .*x\.h5: "):
        x.compute()


@pytest.mark.parametrize("is_open", [True, False])
@pytest.mark.parametrize("name", ["g/x", "flat"])
def test_cells_are_put_where_they_are_wanted(path, name, is_open):
    room = np.zeros((20, 30))
    box = ZRange((3, 5), (17, 30))
    with h5py.File(path) as file:
        source = dt.from_array(file[name]).node.operator
        if not is_open:
            file.close()
        whole = np.empty(box.shape)
        assert source.read(box, whole) is whole
        np.testing.assert_array_equal(whole, CELLS[3:17, 5:])
        np.testing.assert_array_equal(source.read(box, room[:14, :25]), CELLS[3:17, 5:])
        assert not room.any(), "HDF5 fills rows that follow each other"
        none = ZRange((3, 5), (3, 9))
        assert source.read(none, np.empty((0, 4))).shape == (0, 4)


@pytest.mark.parametrize("cells", [np.array(5.0), np.zeros((0, 3)), np.array([True, False])])
def test_scalars_and_empty_datasets_into_given_memory(tmp_path, cells):
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file["x"] = cells
    with h5py.File(tmp_path / "x.h5") as file:
        source = dt.from_array(file["x"]).node.operator
        out = np.ones(cells.shape, cells.dtype)
        np.testing.assert_array_equal(source.read(source.type.box, out), cells)


def test_big_endian_cells_are_turned_round_where_they_are_put(tmp_path):
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file["x"] = CELLS.astype(">f4")
    with h5py.File(tmp_path / "x.h5") as file:
        source = dt.from_array(file["x"]).node.operator
        out = np.empty(CELLS.shape, "f4")
        assert source.read(source.type.box, out) is out
        np.testing.assert_array_equal(out, CELLS.astype("f4"))


def test_another_dtype_is_found_out_where_memory_is_given(tmp_path):
    path = tmp_path / "x.h5"
    with h5py.File(path, "w") as file:
        file["x"] = CELLS
    with h5py.File(path) as file:
        source = dt.from_array(file["x"]).node.operator
    for other in (CELLS.astype("f4"), CELLS[:10]):
        with h5py.File(path, "w") as file:
            file["x"] = other
        with pytest.raises(dt.StoreError, match="returned"):
            source.read(source.type.box, np.empty(CELLS.shape))


@pytest.mark.parametrize(
    "told",
    [
        "[", "[" * 10**5, "[[[0, 1e400]]]", '[[["a", 2]]]', "5", "null", 5, np.arange(3),
        '{"a": 1}', "[[[0, " + "9" * 5000 + "]]]", "[[[0, 5]], [[0, 5], [1, 2]]]",
    ],
)  # fmt: skip
def test_a_journal_that_others_have_written_is_an_error_that_names_the_dataset(tmp_path, told):
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file.create_dataset("d", data=np.arange(8.0)).attrs[JOURNAL] = told
    damaged = pytest.raises(dt.StoreError, match=r"x.h5/?.*d is damaged")
    with h5py.File(tmp_path / "x.h5", "r") as file, damaged:
        dt.from_array(file["d"])


@pytest.fixture
def waits(monkeypatch):
    """What is called where a read is about to be made again, instead of waiting."""
    calls = []
    sleep = SimpleNamespace(sleep=lambda seconds: [call() for call in calls])
    monkeypatch.setattr(retry_policy, "time", sleep)
    forget_retries()
    yield calls
    forget_retries()


@pytest.mark.parametrize("is_open", [True, False])
def test_reads_that_fail_for_a_moment_are_made_again(path, monkeypatch, waits, is_open):
    errors, read = [OSError(errno.EIO, "no")] * 3, hdf5_source._cells

    def flaky(*args):
        if errors:
            raise errors.pop()
        return read(*args)

    monkeypatch.setattr(hdf5_source, "_cells", flaky)
    file = h5py.File(path)
    x = dt.from_array(file["g/x"])
    if not is_open:
        file.close()
    np.testing.assert_array_equal(x.compute(scheduler="sync"), CELLS)
    assert retries()[str(path)].times == 3
    assert f"asked again 3 times, of {path}" in x.plan().explain()
    file.close()


@pytest.mark.parametrize("is_mended", [True, False])
def test_a_chunk_that_came_damaged_is_read_once_more(tmp_path, waits, is_mended):
    path = tmp_path / "x.h5"
    with h5py.File(path, "w") as file:
        chunks = file.create_dataset("x", data=CELLS, chunks=(5, 30), fletcher32=True)
        chunk = chunks.id.get_chunk_info(2)
    with h5py.File(path) as file:
        x = dt.from_array(file["x"])
    turn_a_bit(path, chunk.byte_offset + 9)
    if is_mended:
        waits.append(lambda: turn_a_bit(path, chunk.byte_offset + 9))
        np.testing.assert_array_equal(x.compute(scheduler="sync"), CELLS)
    else:
        with pytest.raises(dt.StoreError, match="cannot read"):
            x.compute(scheduler="sync")
    assert retries()[str(path)].times == 1


def turn_a_bit(path, at):
    with path.open("r+b") as file:
        file.seek(at)
        (byte,) = file.read(1)
        file.seek(at)
        file.write(bytes([byte ^ 1]))
