import errno
import pickle
from pathlib import Path

import dask.array as da
import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.io.stores import retry_policy
from dask_tapestry.io.stores.retries import forget_retries, retries
from dask_tapestry.zspace import ZRange

CELLS = np.arange(200.0).reshape(10, 20)


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
    with pytest.raises(dt.StoreError, match=r"cannot read \[0:2, .* from .*0\.npy"):
        x[1].compute()


def test_a_file_of_another_shape_or_dtype_is_found_out(tmp_path):
    dt.to_npy_stack(tmp_path, CELLS, length=5)
    np.save(tmp_path / "0.npy", CELLS[:4])
    with pytest.raises(dt.StoreError, match="returned shape"):
        dt.from_npy_stack(tmp_path).compute()
    np.save(tmp_path / "0.npy", CELLS[:5].astype("f4"))
    with pytest.raises(dt.StoreError, match="returned dtype float32"):
        dt.from_npy_stack(tmp_path).compute()


@pytest.mark.parametrize("mode", ["r", None])
def test_cells_are_put_where_they_are_wanted(tmp_path, mode):
    dt.to_npy_stack(tmp_path, CELLS, length=4)
    source = dt.from_npy_stack(tmp_path, mode).node.operator
    room = np.zeros((12, 30))
    place = room[2:9, 1:15]
    assert source.read(ZRange((1, 3), (8, 17)), place) is place
    np.testing.assert_array_equal(place, CELLS[1:8, 3:17])
    assert room.sum() == place.sum()


@pytest.mark.parametrize(
    "changed",
    [
        {"axis": 10**9}, {"axis": -3}, {"axis": "../x"}, {"chunks": ((-4,), (4,))}, {"chunks": 5},
        {"dtype": "nothing"}, {"chunks": ((4,), ("a",))},
    ],
)  # fmt: skip
def test_a_description_that_lies_is_an_error_that_names_it(tmp_path, changed):
    np.save(tmp_path / "0.npy", np.zeros((4, 4)))
    info = {"chunks": ((4,), (4,)), "dtype": np.dtype("f8"), "axis": 0}
    (tmp_path / "info").write_bytes(pickle.dumps({**info, **changed}))
    with pytest.raises(dt.StoreError, match=r"cannot read .*info: "):
        dt.from_npy_stack(tmp_path)


def test_what_is_pickled_runs_nothing(tmp_path):
    class Runs:
        def __reduce__(self):
            return Path.touch, (tmp_path / "ran",)

    np.save(tmp_path / "0.npy", np.array([Runs()]), allow_pickle=True)
    info = {"chunks": ((1,),), "dtype": np.dtype("O"), "axis": 0}
    (tmp_path / "info").write_bytes(pickle.dumps(info))
    with pytest.raises(dt.StoreError, match=r"0\.npy: .*Python objects"):
        dt.from_npy_stack(tmp_path).compute(scheduler="sync")
    (tmp_path / "info").write_bytes(pickle.dumps({**info, "by": Runs()}))
    with pytest.raises(dt.StoreError, match="is not allowed in the info file"):
        dt.from_npy_stack(tmp_path)
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    ("error", "times"),
    [(OSError(errno.EIO, "no"), 3), (OSError(errno.ESTALE, "no"), 1), (EOFError("torn"), 1)],
)
@pytest.mark.parametrize("mode", ["r", None])
def test_reads_that_fail_for_a_moment_are_made_again(tmp_path, monkeypatch, error, times, mode):
    dt.to_npy_stack(tmp_path, CELLS, length=5)
    x, errors, load = dt.from_npy_stack(tmp_path, mode), [error] * times, np.load

    def flaky(path, *args, **named):
        if errors and path.name == "1.npy":
            raise errors.pop()
        return load(path, *args, **named)

    monkeypatch.setattr(np, "load", flaky)
    monkeypatch.setattr(retry_policy, "FIRST_WAIT_SECONDS", 1e-4)
    forget_retries()
    np.testing.assert_array_equal(x.compute(scheduler="sync"), CELLS)
    assert retries()[str(tmp_path)].times == times
    assert f", of {tmp_path}: the last time after" in x.plan().explain()
    forget_retries()


def test_a_file_that_stays_torn_is_told(tmp_path):
    dt.to_npy_stack(tmp_path, CELLS, length=5)
    torn = (tmp_path / "1.npy").read_bytes()[:200]
    (tmp_path / "1.npy").write_bytes(torn)
    forget_retries()
    with pytest.raises(dt.StoreError, match=r"cannot read .*1\.npy"):
        dt.from_npy_stack(tmp_path, None).compute(scheduler="sync")
    assert retries()[str(tmp_path)].times == 1
    forget_retries()
