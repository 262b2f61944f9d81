import struct

import dask
import h5py
import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.io.targets import hdf5_target

CELLS = np.arange(600.0).reshape(20, 30)


@pytest.mark.few(4)  # as unlike as so many can be
@pytest.mark.parametrize("chunks", [True, None, False, 7, (3, -1), (50, 50), "auto"])
def test_hdf5_there_and_back(tmp_path, chunks):
    with dt.config(block_bytes=64):
        dt.to_hdf5(tmp_path / "x.h5", "/g/x", dt.asarray(CELLS) + 1, chunks=chunks)
    with h5py.File(tmp_path / "x.h5") as file:
        wanted = {7: (7, 7), (3, -1): (3, 30), (50, 50): (20, 30), None: None, False: None}
        assert file["g/x"].chunks == wanted.get(chunks, (1, 4))
        assert not dict(file["g/x"].attrs)
        np.testing.assert_array_equal(dt.from_array(file["g/x"]).compute(), CELLS + 1)


def test_several_datasets_and_options(tmp_path):
    x = dt.asarray(CELLS)
    dt.to_hdf5(tmp_path / "x.h5", {"/a": x, "/b": x.sum(axis=0)}, compression="gzip", shuffle=True)
    x.to_hdf5(str(tmp_path / "x.h5"), "c")
    with h5py.File(tmp_path / "x.h5") as file:
        assert file["a"].compression == "gzip"
        np.testing.assert_array_equal(file["b"][...], CELLS.sum(axis=0))
        np.testing.assert_array_equal(file["c"][...], CELLS)


@pytest.mark.parametrize("shape", [(), (0,), (3, 0)])
def test_hdf5_of_small_shapes(tmp_path, shape):
    dt.to_hdf5(tmp_path / "x.h5", "x", dt.full(shape, 7.0))
    with h5py.File(tmp_path / "x.h5") as file:
        np.testing.assert_array_equal(file["x"][...], np.full(shape, 7.0))


def test_datasets_are_kept_unless_asked(tmp_path):
    dt.to_hdf5(tmp_path / "x.h5", "x", CELLS)
    with pytest.raises(dt.StoreError, match="overwrite=True"):
        dt.to_hdf5(tmp_path / "x.h5", "x", CELLS * 2)
    dt.to_hdf5(tmp_path / "x.h5", "x", CELLS[:3] * 2, overwrite=True)
    with h5py.File(tmp_path / "x.h5") as file:
        np.testing.assert_array_equal(file["x"][...], CELLS[:3] * 2)


def test_an_hdf5_write_that_fails_is_known_and_the_file_is_closed(tmp_path):
    class Failing:
        shape, dtype = (4,), np.dtype("f8")

        def __getitem__(self, key):
            raise OSError("the disk is on fire")

    with pytest.raises(OSError, match="on fire"):
        dt.to_hdf5(tmp_path / "x.h5", "x", dt.from_array(Failing()))
    with (
        h5py.File(tmp_path / "x.h5", "r+") as file,
        pytest.raises(dt.StoreError, match="incomplete"),
    ):
        dt.from_array(file["x"])


def test_what_hdf5_does_not_take(tmp_path, monkeypatch):
    with pytest.raises(dt.StoreError, match="cannot create x of datetime64"):
        dt.to_hdf5(tmp_path / "x.h5", "x", np.zeros(3, "M8[s]"))
    with pytest.raises(dt.ShapeError, match="do not fit"):
        dt.to_hdf5(tmp_path / "x.h5", "x", CELLS, chunks=(1, 2, 3))
    with pytest.raises(TypeError, match="dictionary"):
        dt.to_hdf5(tmp_path / "x.h5", CELLS)
    with pytest.raises(dt.StoreError, match="cannot open"):
        dt.to_hdf5(tmp_path / "nowhere" / "x.h5", "x", CELLS)

    def absent(name):
        raise ImportError(name)

    monkeypatch.setattr(hdf5_target, "lazy_import", absent)
    with pytest.raises(dt.StoreError, match=r"dask_tapestry\[hdf5\]"):
        dt.to_hdf5(tmp_path / "y.h5", "x", CELLS)


@pytest.mark.parametrize("dtype", ["f8", ">i4", "M8[s]", "U3", "c8"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_npy_files(tmp_path, dtype, order):
    data = np.asarray(np.arange(12).astype(dtype).reshape(3, 4), order=order)
    np.save(tmp_path / "x.npy", data)
    x = dt.from_npy(tmp_path / "x.npy", dims=("y", "x"))
    assert (x.dims, x.node.operator.name) == (("y", "x"), "memmap")
    np.testing.assert_array_equal(x[1:].compute(), data[1:])


def test_what_is_no_npy_file(tmp_path):
    (tmp_path / "x.npy").write_bytes(b"nonsense")
    np.savez(tmp_path / "x.npz", a=CELLS)
    np.save(tmp_path / "o.npy", np.array([{}]), allow_pickle=True)
    for name, error in (("x.npy", "as npy"), ("o.npy", "as npy"), ("x.npz", "as npy|archive")):
        with pytest.raises(dt.StoreError, match=error):
            dt.from_npy(tmp_path / name)
    with pytest.raises(dt.StoreNotFoundError):
        dt.from_npy(tmp_path / "nowhere.npy")
    with pytest.raises(ValueError, match="mmap_mode"):
        dt.from_npy(tmp_path / "x.npy", "w+")


def test_stacks_choose_their_files(tmp_path):
    """What is stored in them is tested with their source and sink."""
    x = dt.ones((10, 1000, 300))
    assert dt.to_npy_stack(tmp_path / "x", x, 1, compute=False).node.operator.length == 500
    assert dt.to_npy_stack(tmp_path / "x", x, compute=False).node.operator.length == 5
    dt.to_npy_stack(tmp_path / "x", [1, 2, 3], scheduler="sync")
    assert dt.from_npy_stack(tmp_path / "x").compute().tolist() == [1, 2, 3]


@pytest.mark.parametrize("overwrite", [True, False])
def test_hdf5_is_refused_for_other_processes_before_anything_is_made(tmp_path, overwrite):
    h5py = pytest.importorskip("h5py")
    path = tmp_path / "data.h5"
    dt.to_hdf5(path, "/x", dt.ones(3))
    with dask.config.set(scheduler="processes"), pytest.raises(dt.StoreError, match="process"):
        dt.to_hdf5(path, "/x" if overwrite else "/y", dt.zeros(3), overwrite=overwrite)
    with pytest.raises(dt.StoreError):
        dt.to_hdf5(path, "/x", dt.zeros(3), overwrite=True, foo=3)
    with h5py.File(path) as file:
        assert file["x"][...].tolist() == [1, 1, 1]
        assert list(file) == ["x"]


def _npy(path, descr="'<f8'", shape="(8,)", text=None):
    """A file whose head says what is not so."""
    head = text or f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}\n"
    path.write_bytes(b"\x93NUMPY\1\0" + struct.pack("<H", len(head)) + head.encode() + bytes(64))
    return path


@pytest.mark.parametrize(
    "lie",
    [
        {"shape": "(1000000000000000,)"}, {"shape": "(1" + "0" * 30 + ",)"}, {"shape": "(-8,)"},
        {"shape": "(9,)"}, {"shape": f"{(1,) * 100}"}, {"shape": "(4294967296, 4294967296)"},
        {"descr": "'|O'"}, {"descr": "[('a', '|O')]"}, {"descr": "'|S99999999'"},
        {"text": "__import__('os').abort()\n"}, {"text": "(" * 5000 + ")" * 5000}, {"text": "\n"},
    ],
)  # fmt: skip
def test_an_npy_file_that_lies_is_an_error_that_names_it(tmp_path, lie):
    with pytest.raises(dt.StoreError, match=r"x\.npy"):
        dt.from_npy(_npy(tmp_path / "x.npy", **lie))


def test_the_folder_of_a_stack_is_a_path():
    """Given the other way round, as `to_zarr` takes them, they are not written anywhere."""
    with pytest.raises(dt.ArgumentTypeError, match="dirname must be a path, not Array"):
        dt.to_npy_stack(dt.ones(3), "folder")
    with pytest.raises(dt.ArgumentTypeError, match="dirname must be a path, not Array"):
        dt.from_npy_stack(dt.ones(3))
