import pickle

import numpy as np
import pytest

import dask_tapestry as dt

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


def test_names_of_dimensions(mapped):
    assert dt.asarray(mapped, dims=("y", "x")).dims == ("y", "x")
    with pytest.raises(dt.ShapeError, match="dimension names"):
        dt.asarray(mapped, dims=("y",))
