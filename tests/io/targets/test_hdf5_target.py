import pickle
from contextlib import nullcontext

import h5py
import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.io.targets.hdf5_target import dataset_target, written_file

CELLS = np.arange(600.0).reshape(20, 30)


@pytest.fixture
def path(tmp_path):
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file.create_dataset("g/x", data=CELLS, chunks=(3, 7), compression="gzip")
        file.create_dataset("flat", data=CELLS)
    return tmp_path / "x.h5"


@pytest.mark.parametrize("shape", [(), (0,), (3, 0), (1,)])
def test_small_shapes(tmp_path, shape):
    with h5py.File(tmp_path / "x.h5", "w") as file:
        data = file.create_dataset("x", shape, "f8")
        dt.store(dt.full(shape, 7.0), data)
        np.testing.assert_array_equal(dt.from_array(data).compute(), np.full(shape, 7.0))


@pytest.mark.parametrize("name", ["g/x", "flat"])
def test_regions_of_a_dataset_are_written(path, name):
    expected = CELLS.copy()
    with h5py.File(path, "r+") as file, dt.config(block_bytes=64):
        dt.store(
            -CELLS[:9, :10], file[name], regions=(slice(2, 20, 2), slice(5, 15)), num_workers=4
        )
        dt.store([CELLS[0], CELLS[1]], [file[name], file[name]], regions=[18, 19])
        expected[2:20:2, 5:15] = -CELLS[:9, :10]
        expected[18], expected[19] = CELLS[0], CELLS[1]
        np.testing.assert_array_equal(file[name][...], expected)
        assert not dict(file[name].attrs)


def test_what_was_written_is_read_after(path):
    with h5py.File(path, "r+") as file:
        x = dt.store(CELLS * 2, file["flat"], compute=False, return_stored=True)
        assert file["flat"][0, 1] == 1
        np.testing.assert_array_equal((x + 1).compute(), CELLS * 2 + 1)


def test_a_failed_write_is_known(path):
    class Failing:
        shape, dtype = CELLS.shape, CELLS.dtype

        def __getitem__(self, key):
            raise OSError("the disk is on fire")

    with h5py.File(path, "r+") as file:
        with pytest.raises(OSError, match="on fire"):
            dt.store(dt.from_array(Failing()), file["flat"])
        with pytest.raises(dt.StoreError, match="flat is incomplete: a write failed"):
            dt.from_array(file["flat"])
        dt.store(CELLS, file["flat"])
        np.testing.assert_array_equal(dt.from_array(file["flat"]).compute(), CELLS)


@pytest.mark.parametrize("fails", [False, True])
def test_of_two_computes_that_write_the_same_cells_the_later_goes_on(path, fails):
    """Else the one that ends would say that all is written, and the other may fail."""

    def meanwhile(block):
        calls.append(len(calls))
        if len(calls) == 2:
            with pytest.raises(OSError, match="on fire") if fails else nullcontext():
                dt.store(dt.full((20, 30), 2.0).map_blocks(other), file["flat"], scheduler="sync")
        return block

    def other(block):
        others.append(len(others))
        if fails and len(others) > 1:
            raise OSError("the disk is on fire")
        return block

    calls, others = [], []
    first = dt.ones((20, 30), chunks=(10, 30)).map_blocks(meanwhile, dtype="f8")
    with h5py.File(path, "r+") as file, dt.config(block_bytes=2400):
        with pytest.raises(dt.StoreError, match="another write has begun to write the same cells"):
            dt.store(first, file["flat"], scheduler="sync")
        if fails:
            with pytest.raises(dt.StoreError, match="flat is incomplete"):
                dt.from_array(file["flat"])
            dt.store(dt.full((20, 30), 2.0), file["flat"])
        assert (dt.from_array(file["flat"]).compute() == 2).all()
        dt.store([CELLS[:9], CELLS[9:]], [file["flat"]] * 2, regions=[slice(9), slice(9, 20)])
        assert (dt.from_array(file["flat"]).compute() == CELLS).all()


def test_in_place(path):
    with h5py.File(path, "r+") as file, dt.config(block_bytes=64):
        dt.store(dt.from_array(file["g/x"])[::-1], file["g/x"])
        np.testing.assert_array_equal(file["g/x"][...], CELLS[::-1])


def test_what_cannot_be_written_to(path):
    with h5py.File(path) as file:
        data = file["flat"]
        with pytest.raises(dt.StoreError, match="opened to read only"):
            dt.store(CELLS, data)
    with pytest.raises(dt.StoreError, match="closed"):
        dt.store(CELLS, data)
    with h5py.File(path, "r+") as file:
        effect = dt.store(CELLS, file["flat"], compute=False)
        with pytest.raises(dt.StoreError, match="process that opened it"):
            pickle.dumps(dataset_target(file["flat"]))
    with pytest.raises(dt.StoreError, match="closed"):
        effect.compute()


def test_a_dataset_is_one_place_by_any_name(path):
    (path.parent / "link.h5").symlink_to(path)
    for name in ("flat", "hard", "soft"):
        with h5py.File(path.parent / "link.h5", "r+") as file, dt.config(block_bytes=64):
            if name == "flat":
                file["hard"], file["soft"] = file["flat"], h5py.SoftLink("/flat")
            before = file["flat"][...]
            dt.store(dt.from_array(file[name])[::-1], file["flat"])
            np.testing.assert_array_equal(file["flat"][...], before[::-1])


def test_a_dataset_is_replaced_by_what_reads_it(path):
    with h5py.File(path, "r+") as file:
        x = dt.from_array(file["flat"])
        with dt.config(block_bytes=64):
            dt.to_hdf5(path, "/flat", x[::-1] * 2, overwrite=True)
        np.testing.assert_array_equal(file["flat"][...], CELLS[::-1] * 2)
        assert sorted(file) == ["flat", "g"]


def test_a_dataset_of_a_file_that_was_closed_is_replaced_by_what_reads_it(path):
    with h5py.File(path, "r") as file:
        x = dt.from_array(file["flat"])
    dt.to_hdf5(path, "/flat", x * 2, overwrite=True)
    with h5py.File(path, "r") as file:
        np.testing.assert_array_equal(file["flat"][...], CELLS * 2)
        assert sorted(file) == ["flat", "g"]


def test_a_dataset_that_is_not_replaced_is_kept(path):
    class Failing:
        shape, dtype = CELLS.shape, CELLS.dtype

        def __getitem__(self, key):
            raise OSError("the disk is on fire")

    with pytest.raises(OSError, match="on fire"):
        dt.to_hdf5(path, "/flat", dt.from_array(Failing()), overwrite=True)
    with h5py.File(path, "r") as file:
        np.testing.assert_array_equal(dt.from_array(file["flat"]).compute(), CELLS)
        assert sorted(file) == ["flat", "g"]


def test_what_an_earlier_write_left_does_not_come_back(tmp_path):
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file["x.tapestry-partial"] = np.full(3, 7)
    dt.to_hdf5(tmp_path / "x.h5", "x", dt.arange(5))
    with h5py.File(tmp_path / "x.h5") as file:
        assert list(file) == ["x"]
        assert file["x"][...].tolist() == [0, 1, 2, 3, 4]


def failing(text):
    def fail(*_):
        raise RuntimeError(text)

    return fail


def test_a_file_that_cannot_be_closed_is_an_error_of_the_store(tmp_path, monkeypatch):
    opened, close = [], h5py.File.close

    def write(name, error=None):
        with written_file(tmp_path / name) as file:
            opened.append(file)
            monkeypatch.setattr(h5py.File, "close", failing("no room\n at all"))
            if error is not None:
                raise error

    with pytest.raises(dt.StoreError, match=r"cannot write the HDF5 file .*x\.h5: no room at all"):
        write("x.h5")
    monkeypatch.undo()
    with pytest.raises(ZeroDivisionError):  # the first error is the cause, and is seen
        write("y.h5", ZeroDivisionError())
    monkeypatch.undo()
    for error in (OSError("it is full"), RuntimeError("it is full")):
        with pytest.raises(dt.StoreError, match=r"z\.h5: it is full"):
            write("z.h5", error)
        monkeypatch.undo()
        close(opened[-1])
    for file in opened:
        close(file)
