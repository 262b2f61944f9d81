import numpy as np
import pytest

from dask_tapestry_kernels.cpu import KERNELS

X = np.arange(24.0).reshape(2, 3, 4)


def test_identity_is_the_block():
    assert KERNELS["identity"](None, X) is X


def test_a_view_copies_nothing():
    told = {"index": (slice(None), 1, slice(None, None, -1)), "order": (1, 0), "broadcast": (1,)}
    seen = KERNELS["view"](None, X, **told, shape=(4, 5, 2))
    assert np.array_equal(seen, np.broadcast_to(X[:, 1, ::-1].T[:, None], (4, 5, 2)))
    assert np.shares_memory(seen, X)


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_blocks_without_cells_are_left_out(axis):
    empty = X.take([], axis)
    assert KERNELS["concat"](None, empty, X, empty, axis=axis) is X
    assert KERNELS["concat"](None, empty, empty, axis=axis) is empty
    joined = np.concatenate([X, X], axis)
    out = np.empty_like(joined)
    assert KERNELS["concat"](out, X, empty, X, axis=axis) is out
    assert np.array_equal(out, joined)


def test_a_reshape_reads_a_box_of_running_numbers():
    block = np.arange(12.0).reshape(3, 4)  # the numbers 4 to 15 of a longer group
    told = {"sizes": (12,), "offsets": (2,), "spans": ((5, 1),), "shape": (2, 3)}
    assert np.array_equal(KERNELS["reshape"](None, block, **told), [[2, 3, 4], [7, 8, 9]])


def test_a_reshape_to_nothing():
    told = {"sizes": (0,), "offsets": (0,), "spans": ((1, 1),), "shape": (0, 3)}
    made = KERNELS["reshape"](None, np.zeros((0, 2), "f4"), **told)
    assert (made.shape, made.dtype) == ((0, 3), np.dtype("f4"))


def test_a_reshaped_block_cannot_be_written_to():
    told = {"sizes": (24,), "offsets": (0,), "spans": ((1,),), "shape": (24,)}
    assert not KERNELS["reshape"](None, X, **told).flags.writeable
