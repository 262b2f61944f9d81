import io

import numpy as np
import pytest

import dask_tapestry as dt

X = np.arange(12.0).reshape(3, 4)


@pytest.mark.parametrize("space", [dt, np])
@pytest.mark.parametrize("dtype", ["f8", "i1", "U3", "c8"])
def test_numpy_reads_it(tmp_path, space, dtype):
    x = X.astype(dtype)
    space.save(tmp_path / "x", dt.from_array(x, chunks=(2, 3)))
    assert np.array_equal(np.load(tmp_path / "x.npy"), x)
    assert [path.name for path in tmp_path.iterdir()] == ["x.npy"]


def test_what_is_read_may_be_written(tmp_path):
    np.save(tmp_path / "x.npy", X)
    dt.save(tmp_path / "x.npy", dt.from_npy(tmp_path / "x.npy") + 1)
    assert np.array_equal(np.load(tmp_path / "x.npy"), X + 1)


def test_a_failure_leaves_what_was_there(tmp_path):
    np.save(tmp_path / "x.npy", X)
    wrong = dt.asarray(X).map_blocks(lambda block: block / [1, 2, 3], dtype=float)
    with pytest.raises(ValueError, match="broadcast"):
        dt.save(tmp_path / "x.npy", wrong)
    assert np.array_equal(np.load(tmp_path / "x.npy"), X)
    assert len(list(tmp_path.iterdir())) == 1


def test_open_files_and_no_cells(tmp_path):
    file = io.BytesIO()
    dt.save(file, dt.asarray(X))
    file.seek(0)
    assert np.array_equal(np.load(file), X)
    dt.save(tmp_path / "none", dt.zeros((0, 3)))
    assert np.load(tmp_path / "none.npy").shape == (0, 3)
