import tracemalloc

import numpy as np
import pytest

from dask_tapestry_kernels.cpu import KERNELS

RANDOM = np.random.default_rng(0)
X = np.arange(24.0).reshape(2, 3, 4)


def test_a_block_may_begin_behind_the_first_place():
    told = {"axes": (1,), "at": 1, "extents": (10,), "origin": (4,)}
    taken = KERNELS["take"](None, X, np.array([6, 4]), **told)
    assert np.array_equal(taken, X[:, [2, 0]])


@pytest.mark.parametrize("places", [np.array([3, 1]), np.array([[5], [0]]), np.array([7] * 12)])
@pytest.mark.parametrize("given", [False, True])
def test_a_block_may_lie_apart_in_memory(places, given):
    block = np.arange(8 * 9 * 10.0).reshape(8, 9, 10)[:, 2:5, ::2]
    expected = block[places]
    out = np.empty(expected.shape) if given else None
    told = {"axes": (0,), "at": 0, "extents": (10,), "origin": (1,)}
    taken = KERNELS["take"](out, block, places + 1, **told)
    assert np.array_equal(taken, expected)
    assert (taken is out) == given


def test_few_rows_of_a_block_that_lies_apart_are_taken_without_a_copy_of_it():
    block = np.ones((1000, 20, 100))[:, :10]
    told = {"axes": (0,), "at": 0, "extents": (1000,), "origin": (0,)}
    tracemalloc.start()
    KERNELS["take"](None, block, np.arange(10), **told)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < block.size * 8 / 10


def test_it_fills_the_buffer_it_is_given():
    out = np.empty((2, 2, 4))
    told = {"axes": (1,), "at": 1, "extents": (3,), "origin": (0,)}
    assert KERNELS["take"](out, X, np.array([1, 1]), **told) is out
    assert np.array_equal(out, X[:, [1, 1]])


def test_an_insert_of_all_cells_is_its_values():
    values = np.ones((2, 2))
    nothing = np.empty((0, 0))
    told = {"index": (slice(0, 2),) * 2, "shape": (2, 2)}
    assert KERNELS["insert"](None, nothing, values, **told) is values


@pytest.mark.covering
@pytest.mark.parametrize("axes", [(0, 1), (1, 2), (0, 1, 2), (0, 2)])
@pytest.mark.parametrize("at", [0, 1])
@pytest.mark.parametrize("order", ["C", "F", "part", "backward", "spread"])
def test_places_along_several_axes(axes, at, order):
    if at > 3 - len(axes):
        return
    block = RANDOM.normal(size=(4, 5, 6))
    if order == "F":
        block = np.asfortranarray(block)
    elif order == "part":
        block = RANDOM.normal(size=(6, 7, 8))[1:5, 2:, 1:7]
    elif order == "backward":
        block = block[:, ::-1]
    elif order == "spread":
        block = np.broadcast_to(block[:, :1], (4, 5, 6))
    origin = tuple(10 * axis for axis in axes)  # the block is a part of a longer tensor
    extents = tuple(block.shape[axis] + 20 for axis in axes)
    own = [RANDOM.integers(0, block.shape[axis], (3, 2)) for axis in axes]
    places = [one + start for one, start in zip(own, origin, strict=True)]
    places[0] = places[0] - extents[0]  # counted from the end
    wanted = np.moveaxis(
        np.moveaxis(block, axes, range(len(axes)))[tuple(own)], (0, 1), (at, at + 1)
    )
    told = {"axes": axes, "at": at, "extents": extents, "origin": origin}
    np.testing.assert_array_equal(KERNELS["take"](None, block, *places, **told), wanted)
    out = np.empty(wanted.shape)
    np.testing.assert_array_equal(KERNELS["take"](out, block, *places, **told), wanted)


@pytest.mark.covering
@pytest.mark.parametrize("places", [np.array([30, 2, 31, -40]), np.array([[3, 29], [4, 30]])])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("at", [0, 1])
@pytest.mark.parametrize("given", [False, True])
def test_cells_of_several_blocks(places, axis, at, given):
    cells = np.random.default_rng(0).normal(size=(40, 6) if axis == 0 else (6, 40))
    expected = np.moveaxis(cells, axis, 0)[places]
    expected = np.moveaxis(expected, -1, 0) if at else expected
    spans = [(0, 5), (29, 32)]
    parts = [np.take(cells, range(*span), axis) for span in spans]
    out = np.asfortranarray(np.empty(expected.shape)) if given else None
    told = {"axes": (axis,), "at": at, "extents": (40,), "origin": (0,)}
    made = KERNELS["take"](out, *parts, places, starts=(0, 29), **told)
    np.testing.assert_array_equal(made, expected)


def test_a_place_out_of_bounds_of_several_blocks_is_refused():
    told = {"axes": (0,), "at": 0, "extents": (9,), "origin": (0,), "starts": (0, 7)}
    with pytest.raises(IndexError, match="9"):
        KERNELS["take"](None, np.ones(2), np.ones(2), np.array([1, 9]), **told)


@pytest.mark.parametrize("kind", ["f8", "U8", "S4", "M8[s]", object, np.dtypes.StringDType()])
@pytest.mark.parametrize("axes", [(0,), (0, 1), (1, 0)])
def test_one_cell_is_an_array(kind, axes):
    """Alone, NumPy's text is as short as it is, and an object has no shape."""
    block = np.arange(6).reshape(2, 3).astype(kind)[:, :: -1 if len(axes) > 1 else 1]
    block = block if len(axes) > 1 else block[0]
    places = [np.array(1), np.array(-1)][: len(axes)]
    extents = tuple(block.shape[axis] for axis in axes)
    told = {"axes": axes, "at": 0, "extents": extents, "origin": (0,) * len(axes)}
    wanted = block.transpose(axes)[(*places, ...)]
    for out in (None, np.empty((), kind)):
        made = KERNELS["take"](out, block, *places, **told)
        assert type(made) is np.ndarray
        assert (made.shape, made.dtype) == ((), block.dtype)
        assert made[()] == wanted[()]
