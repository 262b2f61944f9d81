import numpy as np
import pytest

from dask_tapestry_kernels.cpu import KERNELS
from dask_tapestry_kernels.cpu.blocks.generate import PIECE
from tests.comparisons import same_bits


@pytest.mark.parametrize("shape", [(), (0,), (3, 2)])
def test_full_without_a_buffer_is_one_cell_seen_many_times(shape):
    made = KERNELS["full"](None, value=np.float32(-0.0), shape=shape)
    assert same_bits(made, np.full(shape, np.float32(-0.0)))
    assert made.base is not None or not made.size or made.ndim == 0
    assert all(stride == 0 for stride in made.strides)


def test_full_fills_the_buffer_it_is_given():
    out = np.zeros((3, 4))[:, ::2]
    assert KERNELS["full"](out, value=np.float64(7), shape=(3, 2)) is out
    assert (out == 7).all()


@pytest.mark.parametrize("dtype", ["i1", "f4", "f8", "c16"])
def test_places_of_a_range_have_one_value_wherever_a_block_begins(dtype):
    first, delta = np.array([0.1, 0.3]).astype(dtype)
    told = {"first": first, "delta": delta, "dtype": first.dtype}
    whole = KERNELS["arange"](None, **told, places=range(50))
    for start, stop, step in ((3, 50, 1), (0, 50, 7), (49, 50, 1), (5, 5, 1)):
        part = KERNELS["arange"](None, **told, places=range(start, stop, step))
        assert same_bits(part, whole[start:stop:step])


def test_times_are_counted_in_integers():
    told = {"first": np.int64(3), "delta": np.int64(2), "dtype": np.dtype("M8[D]")}
    block = KERNELS["arange"](None, **told, places=range(1, 3))
    assert block.tolist() == np.array([5, 7]).astype("M8[D]").tolist()


@pytest.mark.parametrize("dtype", ["i1", "f4", "c16"])
def test_ranges_are_made_piece_by_piece_where_they_belong(dtype):
    first, delta = np.array([3, 2]).astype(dtype)
    told = {"first": first, "delta": delta, "dtype": first.dtype}
    places = range(-7, -7 - 3 * (2 * PIECE + 5), -3)
    out = np.zeros(2 * len(places), dtype)[::2]
    assert KERNELS["arange"](out, **told, places=places) is out
    with np.errstate(all="ignore"):
        assert same_bits(out, first + np.array(places).astype(dtype) * delta)
