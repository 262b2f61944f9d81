import pickle

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.io.memmap_source import MemmapTarget, mapped_file

CELLS = np.arange(600.0).reshape(20, 30)
VIEWS = {
    "whole": lambda m: m,
    "part": lambda m: m[3:15, 2:9],
    "strided": lambda m: m[3:15:2, ::-3],
    "reversed": lambda m: m[::-1, ::-1],
    "transposed": lambda m: m.T[1:],
    "row": lambda m: m[7],
    "repeated": lambda m: np.broadcast_to(m[2], (4, 30), subok=True),
    "plain": lambda m: m.reshape(-1)[11:13],
}


@pytest.fixture
def mapped(tmp_path):
    with open(tmp_path / "x", "wb") as file:
        file.write(b"head and title" * 1000)
        file.write(CELLS.tobytes())
    return np.memmap(tmp_path / "x", "f8", "r+", offset=14_000, shape=CELLS.shape)


@pytest.mark.parametrize("view", VIEWS)
def test_any_view_travels_by_name(mapped, view):
    part, expected = VIEWS[view](mapped), VIEWS[view](CELLS)
    x = dt.asarray(part)
    assert x.node.operator.name == "memmap"
    payload = pickle.dumps(x.node.operator)
    assert len(payload) < 1000
    far = pickle.loads(payload)
    assert far.file.known is None
    np.testing.assert_array_equal(far.read(x.node.type.box), expected)
    np.testing.assert_array_equal((x + 1).compute(), expected + 1)


def test_it_is_read_in_place(mapped):
    x = dt.from_array(mapped)
    assert np.shares_memory(x.node.operator.read(x.node.type.box), mapped)
    mapped[0, 0] = -5
    assert x[0, 0].compute() == -5


def test_order_and_byte_order(tmp_path):
    for dtype, order in ((">i4", "C"), ("<f4", "F"), ("M8[s]", "F")):
        mapped = np.memmap(tmp_path / "x", dtype, "w+", shape=(3, 4), order=order)
        mapped[...] = np.arange(12).reshape(3, 4)
        x = dt.asarray(mapped)
        assert x.dtype == np.dtype(dtype).newbyteorder("=")
        far = pickle.loads(pickle.dumps(x.node.operator))
        np.testing.assert_array_equal(far.read(x.node.type.box), mapped)
        np.testing.assert_array_equal(x.compute(), mapped)


def test_what_is_in_no_file_is_in_memory(mapped, tmp_path):
    assert dt.asarray(mapped[5:5]).compute().shape == (0, 30)
    assert mapped_file(mapped + 1) is None
    assert mapped_file(np.asarray(mapped)) is None
    assert mapped_file(mapped[[1, 2]]) is None
    changed = np.memmap(tmp_path / "x", "f8", "c", offset=14_000, shape=CELLS.shape)
    changed[0, 0] = 77
    x = dt.asarray(changed)
    assert x.node.operator.name == "memory"
    assert x[0, 0].compute() == 77


def test_a_file_that_is_gone_or_too_short_is_named(mapped, tmp_path):
    far = pickle.loads(pickle.dumps(mapped_file(mapped)))
    (tmp_path / "x").write_bytes(b"short")
    with pytest.raises(dt.StoreError, match=str(tmp_path)):
        _ = far.array
    (tmp_path / "x").unlink()
    with pytest.raises(dt.StoreNotFoundError, match=str(tmp_path)):
        _ = far.array


def test_names_of_dimensions(mapped):
    assert dt.asarray(mapped, dims=("y", "x")).dims == ("y", "x")
    with pytest.raises(dt.ShapeError, match="dimension names"):
        dt.asarray(mapped, dims=("y",))


def test_a_target_is_written_and_read_again(mapped):
    (x,) = dt.store(CELLS * 2, mapped, return_stored=True)
    np.testing.assert_array_equal(mapped, CELLS * 2)
    np.testing.assert_array_equal(x.compute(), CELLS * 2)
    (y,) = dt.store(CELLS[:5], mapped, regions=slice(0, 20, 4), return_stored=True, compute=False)
    assert mapped[4, 0] == 240
    np.testing.assert_array_equal(y.compute(), CELLS[:5])
    assert str(MemmapTarget(mapped_file(mapped))).endswith("/x")


def test_in_place(mapped):
    dt.store(dt.asarray(mapped[::-1]), mapped)
    np.testing.assert_array_equal(mapped, CELLS[::-1])
    plan = dt.plan(dt.store(dt.asarray(mapped) + 1, mapped, compute=False))
    assert "place(" not in str(plan.teg)
