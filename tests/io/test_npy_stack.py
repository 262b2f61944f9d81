import pickle

import dask.array as da
import numpy as np
import pytest

import dask_tapestry as dt

CELLS = np.arange(200.0).reshape(10, 20)


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("length", [1, 3, 10, 50])
def test_each_file_is_written_and_read(tmp_path, axis, length):
    with dt.config(block_bytes=64):
        dt.to_npy_stack(tmp_path, CELLS, axis, length=length)
        np.testing.assert_array_equal(dt.from_npy_stack(tmp_path).compute(), CELLS)
    count = -(-CELLS.shape[axis] // length)
    assert len(list(tmp_path.glob("*.npy"))) == count
    np.testing.assert_array_equal(da.from_npy_stack(str(tmp_path)).compute(), CELLS)


@pytest.mark.parametrize("chunks", [((3, 1, 6), 4), ((5, 5), 20), ((10,), 20)])
@pytest.mark.parametrize("mode", ["r", None])
def test_what_dask_wrote_is_read(tmp_path, chunks, mode):
    da.to_npy_stack(str(tmp_path / "x"), da.from_array(CELLS, chunks))
    x = dt.from_npy_stack(tmp_path / "x", mode)
    with dt.config(block_bytes=64):
        np.testing.assert_array_equal((x[2:9, ::3] + 1).compute(), CELLS[2:9, ::3] + 1)


def test_only_the_files_that_are_needed_are_read(tmp_path):
    dt.to_npy_stack(tmp_path, CELLS, length=2)
    for number in (0, 3, 4):
        (tmp_path / f"{number}.npy").write_bytes(b"nonsense")
    x = dt.from_npy_stack(tmp_path)
    assert x.node.operator.chunks == (2, 20)
    np.testing.assert_array_equal(x[3:6].compute(), CELLS[3:6])
    with pytest.raises(dt.StoreError, match=r"cannot read .*0\.npy"):
        x[1].compute()


@pytest.mark.parametrize("dtype", [*"?bBhHiIlLefdFD", "M8[ns]", "S4", "U3"])
def test_every_dtype(tmp_path, dtype):
    data = np.array([1, 0, 1, 2, 3]).astype("i8").astype(dtype)
    dt.to_npy_stack(tmp_path, data, length=2)
    x = dt.from_npy_stack(tmp_path)
    assert x.dtype == data.dtype
    np.testing.assert_array_equal(x.compute(), data)


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0), (1,)])
def test_small_shapes(tmp_path, shape):
    dt.to_npy_stack(tmp_path, np.full(shape, 7.0))
    np.testing.assert_array_equal(dt.from_npy_stack(tmp_path).compute(), np.full(shape, 7.0))


def test_what_is_there_is_kept_unless_asked(tmp_path):
    dt.to_npy_stack(tmp_path, CELLS, length=2)
    with pytest.raises(dt.StoreError, match="overwrite=True"):
        dt.to_npy_stack(tmp_path, CELLS[:2])
    dt.to_npy_stack(tmp_path, CELLS[:2], overwrite=True)
    assert [path.name for path in tmp_path.glob("*.npy")] == ["0.npy"]
    np.testing.assert_array_equal(dt.from_npy_stack(tmp_path).compute(), CELLS[:2])


def test_what_is_not_complete_is_no_stack(tmp_path):
    class Failing:
        shape, dtype, reads = (10, 20), np.dtype("f8"), 0

        def __getitem__(self, key):
            type(self).reads += 1
            if self.reads > 1:
                raise OSError("the disk is on fire")
            return np.ones(tuple(s.stop - s.start for s in key))

    dt.to_npy_stack(tmp_path, CELLS)
    with dt.config(block_bytes=160), pytest.raises(OSError, match="on fire"):
        dt.to_npy_stack(
            tmp_path, dt.from_array(Failing()), length=1, overwrite=True, scheduler="sync"
        )
    assert len(list(tmp_path.glob("*.npy"))) == 1
    with pytest.raises(dt.StoreNotFoundError, match="no stack"):
        dt.from_npy_stack(tmp_path)


def test_a_lazy_sink(tmp_path):
    sink = dt.to_npy_stack(tmp_path / "x", CELLS, compute=False)
    assert not (tmp_path / "x").exists()
    far = pickle.loads(pickle.dumps(sink.node.operator))
    assert far == sink.node.operator
    sink.compute()
    assert dt.from_npy_stack(tmp_path / "x").shape == CELLS.shape


def test_what_cannot_be_a_stack(tmp_path):
    with pytest.raises(dt.AxisError):
        dt.to_npy_stack(tmp_path, CELLS, axis=2)
    with pytest.raises(ValueError, match="dimension"):
        dt.to_npy_stack(tmp_path, 3.0)
    with pytest.raises(dt.ShapeError, match="at least 1"):
        dt.to_npy_stack(tmp_path, CELLS, length=0)


class Harmful:
    """Unpickling it would call what it names."""

    def __reduce__(self):
        return print, ("harm",)


@pytest.mark.parametrize("info", [Harmful(), {"chunks": ((1,),)}, 7, b""])
def test_a_description_is_read_without_running_it(tmp_path, info, capsys):
    (tmp_path / "info").write_bytes(info if info == b"" else pickle.dumps(info))
    with pytest.raises(dt.StoreError, match="info"):
        dt.from_npy_stack(tmp_path)
    assert not capsys.readouterr().out


def test_a_file_of_another_shape_or_dtype_is_found_out(tmp_path):
    dt.to_npy_stack(tmp_path, CELLS, length=5)
    np.save(tmp_path / "0.npy", CELLS[:4])
    with pytest.raises(dt.StoreError, match="gave shape"):
        dt.from_npy_stack(tmp_path).compute()
    np.save(tmp_path / "0.npy", CELLS[:5].astype("f4"))
    with pytest.raises(dt.StoreError, match="gave cells of float32"):
        dt.from_npy_stack(tmp_path).compute()
