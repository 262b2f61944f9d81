import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.operators.joins.mosaic import Mosaic, MosaicAxis, mosaic
from dask_tapestry.teg import TensorType
from dask_tapestry_kernels.devices import kernels_of
from tests.operators.views.test_view import box_of, picked, region_of

F8 = np.dtype("f8")


@st.composite
def mosaics(draw):
    """A mosaic of a few pieces: along each axis parts one after the other, or cells in turn."""
    ways = []
    for _ in range(draw(st.integers(1, 3))):
        count = draw(st.integers(1, 3))
        if draw(st.booleans()):
            length = draw(st.integers(0, 4))
            ways.append([(MosaicAxis(turn, count), length) for turn in range(count)])
        else:
            lengths = [draw(st.integers(0, 4)) for _ in range(count)]
            starts = np.cumsum([0, *lengths])[:-1].tolist()
            ways.append([(MosaicAxis(a, 1), n) for a, n in zip(starts, lengths, strict=True)])
    shape = tuple(sum(n for _, n in way) for way in ways)
    corners = np.ndindex(*[len(way) for way in ways])
    pieces = [[way[i] for way, i in zip(ways, corner, strict=True)] for corner in corners]
    places = tuple(tuple(place for place, _ in piece) for piece in pieces)
    return Mosaic(shape, places), tuple(tuple(n for _, n in piece) for piece in pieces)


def filled(shapes):
    """Blocks that hold the numbers from 1 on, in order."""
    start, blocks = 1, []
    for shape in shapes:
        size = int(np.prod(shape))
        blocks.append(np.arange(start, start + size, dtype=float).reshape(shape))
        start += size
    return blocks


@given(mosaics(), st.data())
def test_a_block_is_a_part_of_the_whole(given_mosaic, data):
    operator, shapes = given_mosaic
    inputs = filled(shapes)
    whole = operator.reference(*inputs)
    assert sorted(whole.ravel()) == list(range(1, whole.size + 1))
    types = tuple(TensorType(shape, F8) for shape in shapes)
    box = box_of(data.draw, operator.shape)
    pieces = operator.pieces(types, box)
    blocks = [inputs[number][need.index()] for number, need in pieces]
    told = operator.arguments(types, box, tuple(need for _, need in pieces))
    for out in (None, np.empty(box.shape)):
        block = kernels_of("cpu")["mosaic"](out, *blocks, **told)
        assert block.shape == box.shape
        assert np.array_equal(block, whole[box.index()])


@given(mosaics(), st.data())
def test_what_is_restricted_is_a_mosaic_of_parts(given_mosaic, data):
    operator, shapes = given_mosaic
    inputs = filled(shapes)
    types = tuple(TensorType(shape, F8) for shape in shapes)
    region = region_of(data.draw, operator.shape)
    cut = operator.restrict(types, region)
    assert cut.yields == region
    parts = [picked(x, own) for x, own in zip(inputs, cut.inputs, strict=True)]
    assert np.array_equal(
        cut.operator.reference(*parts), picked(operator.reference(*inputs), region)
    )


def test_pieces_that_are_not_met_are_not_read():
    operator = Mosaic((6,), ((MosaicAxis(0, 1),), (MosaicAxis(2, 1),), (MosaicAxis(4, 1),)))
    types = (TensorType((2,), F8),) * 3
    box = TensorType((6,), F8).box.replace(0, 2, 4)
    assert [number for number, _ in operator.pieces(types, box)] == [1]


def test_a_piece_that_is_all_of_it_is_it():
    x, none = dt.ones((2, 3)).node, dt.ones((0, 3)).node
    assert mosaic([none, x], [(MosaicAxis(0, 1),) * 2] * 2, (2, 3)) is x


def test_a_mosaic_prints_its_shape():
    x = dt.interleave([dt.ones(2), dt.zeros(2)])
    assert str(x.teg).splitlines()[2] == "%2 = mosaic(%0, %1, (4,), 2 pieces) : float64[4]"


@pytest.mark.parametrize("key", [slice(3, 9, 2), slice(None, None, -3), slice(1, 2), 5])
def test_slices_of_interleaved_arrays(key):
    parts = [np.arange(4) + 10 * n for n in range(3)]
    expected = np.stack(parts, 1).reshape(-1)[key]
    made = dt.interleave([dt.asarray(p) * 2 for p in parts])[key]
    np.testing.assert_array_equal(made.compute(), 2 * expected)
