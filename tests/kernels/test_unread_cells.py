import numpy as np
import pytest

from dask_tapestry_kernels.unread_cells import UnreadCells, in_memory, is_unread, part_of

X = np.arange(2 * 3 * 4.0).reshape(2, 3, 4)


def unread(x, asked):
    def reading(spans):
        asked.append(spans)
        return x[tuple(slice(*span) for span in spans)]

    return UnreadCells.of(x.shape, x.dtype, reading)


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1), (1, 2, 0)])
@pytest.mark.parametrize("cut", [(), (slice(0, 1),), (slice(1, 2), slice(1, 9), slice(None))])
def test_it_lies_as_the_array_would(order, cut):
    asked = []
    cells, array = unread(X, asked).transpose(order), X.transpose(order)
    assert (cells.shape, cells.strides, cells.dtype) == (array.shape, array.strides, array.dtype)
    assert (cells.ndim, cells.size, cells.itemsize) == (array.ndim, array.size, array.itemsize)
    part = part_of(cells, cut)
    assert part.shape == array[cut].shape
    assert not asked
    np.testing.assert_array_equal(in_memory(part), array[cut])
    assert len(asked) == 1


def test_parts_of_parts_begin_where_they_do():
    part = unread(X, []).transpose((2, 1, 0)).part((slice(1, 4),)).part((slice(1, 3), slice(2, 3)))
    np.testing.assert_array_equal(part.read(), X.transpose(2, 1, 0)[2:4, 2:3])


def test_arrays_are_read_already():
    assert not is_unread(X)
    assert in_memory(X) is X
    np.testing.assert_array_equal(part_of(X, (slice(1, 2),)), X[1:])
