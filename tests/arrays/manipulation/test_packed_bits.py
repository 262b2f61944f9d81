import numpy as np
import pytest

import dask_tapestry as dt

SHAPES = [(), (0,), (1,), (8,), (13,), (3, 9), (0, 3), (2, 1, 17)]


@pytest.mark.few(4)  # as unlike as so many can be
@pytest.mark.parametrize("order", ["big", "little"])
@pytest.mark.parametrize("dtype", ["?", "i1", "u1", "i8"])
def test_packing_is_numpys(dtype, order):
    random = np.random.default_rng(0)
    for shape in SHAPES:
        cells = (random.integers(-1, 2, shape) * (random.random(shape) < 0.7)).astype(dtype)
        for axis in (None, *range(-len(shape), len(shape))):
            expected = np.packbits(cells, axis, order)
            for x in (dt.asarray(cells), dt.asarray(cells).rechunk(2) if cells.ndim else cells):
                found = dt.packbits(x, axis, order)
                assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
                np.testing.assert_array_equal(found.compute(), expected)


@pytest.mark.parametrize("order", ["big", "little"])
@pytest.mark.parametrize("count", [None, 0, 5, 30, -1, -8])
def test_unpacking_is_numpys(count, order):
    random = np.random.default_rng(1)
    for shape in ((), (1,), (3,), (2, 3), (2, 1, 2)):
        cells = random.integers(0, 256, shape, np.uint8)
        for axis in (None, *range(-len(shape), len(shape))):
            expected = np.unpackbits(cells, axis, count, order)
            found = dt.unpackbits(cells, axis, count, order)
            assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
            np.testing.assert_array_equal(found.compute(), expected)


def test_what_was_packed_comes_back():
    mask = np.random.default_rng(2).random((7, 50)) < 0.5
    packed = dt.packbits(dt.asarray(mask), axis=1)
    assert packed.shape == (7, 7)
    np.testing.assert_array_equal(dt.unpackbits(packed, axis=1, count=50).compute(), mask)
    assert isinstance(np.packbits(dt.asarray(mask)), dt.Array)


def test_errors():
    with pytest.raises(TypeError, match="integer or boolean"):
        dt.packbits(np.ones(3))
    with pytest.raises(TypeError, match="unsigned byte"):
        dt.unpackbits(np.ones(3, int))
    with pytest.raises(ValueError, match="'little' or 'big'"):
        dt.packbits([1], bitorder="middle")
    with pytest.raises(ValueError, match="-count"):
        dt.unpackbits(np.ones(1, np.uint8), count=-9)
    with pytest.raises(np.exceptions.AxisError):
        dt.packbits([1], axis=1)
