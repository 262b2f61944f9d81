import io

import numpy as np
import pytest

import dask_tapestry as dt

X = np.arange(6.0).reshape(2, 3)


@pytest.mark.parametrize("save", ["savez", "savez_compressed"])
def test_npz_files(tmp_path, save):
    path = tmp_path / "x.npz"
    getattr(dt, save)(path, dt.asarray(X), twice=dt.asarray(X) * 2)
    with dt.load(path) as found:
        assert sorted(found.files) == sorted(found) == ["arr_0", "twice"]
        assert len(found) == 2
        np.testing.assert_array_equal(found["twice"].compute(), 2 * X)
        assert isinstance(found["arr_0"], dt.Array)
    with np.load(path) as found:
        np.testing.assert_array_equal(found["arr_0"], X)


def test_npy_files(tmp_path):
    path = tmp_path / "x.npy"
    np.save(path, X)
    assert dt.load(path).compute().tolist() == X.tolist()
    assert dt.load(path, mmap_mode="r")[1].compute().tolist() == X[1].tolist()
    with open(path, "rb") as file:
        assert dt.load(file).compute().tolist() == X.tolist()
    np.save(path, np.array([None, 1]), allow_pickle=True)
    assert dt.load(path, allow_pickle=True).compute().tolist() == [None, 1]
    with pytest.raises(FileNotFoundError):
        dt.load(tmp_path / "y.npy")


def test_text_files(tmp_path):
    path = tmp_path / "x.txt"
    dt.savetxt(path, dt.asarray(X), delimiter=",")
    assert dt.loadtxt(path, delimiter=",").compute().tolist() == X.tolist()
    columns = dt.loadtxt(path, delimiter=",", unpack=True)
    assert [float(column[1]) for column in columns] == [3, 4, 5]
    found = dt.genfromtxt(io.StringIO("a,b\n1,\n3,4"), delimiter=",", names=True)
    assert found["a"].compute().tolist() == [1, 3]
    masked = dt.genfromtxt(["1,", "3,4"], delimiter=",", usemask=True)
    assert masked.mean().compute() == pytest.approx(8 / 3)
    with pytest.raises(FileNotFoundError):
        dt.loadtxt(tmp_path / "none.txt")


def test_buffers(tmp_path):
    path = tmp_path / "x.bin"
    X.tofile(path)
    assert dt.fromfile(path).compute().tolist() == X.ravel().tolist()
    assert dt.frombuffer(b"abcd", "u1", offset=1).compute().tolist() == [98, 99, 100]
    assert dt.fromiter((n for n in range(3)), float).compute().tolist() == [0, 1, 2]
    assert dt.fromstring("1 2", sep=" ").compute().tolist() == [1, 2]
    with pytest.raises(ValueError, match="multiple"):
        dt.frombuffer(b"abc", "f8")
    with pytest.raises(ValueError, match="too short"):
        dt.fromiter([1], int, count=2)
