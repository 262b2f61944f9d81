import numpy as np
import pytest

from dask_tapestry.operators.views.reshape import GroupPart
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
    part = GroupPart((0, 0), (3, 4), 2, (2, 3), (5, 1), 0, 6)
    made = KERNELS["reshape"](None, block, parts=((part,),), shape=(2, 3))
    assert np.array_equal(made, [[2, 3, 4], [7, 8, 9]])


def test_a_reshape_of_some_columns_is_a_view():
    columns = X[:, :, 1:3]
    parts = (
        (GroupPart((0, 0), (2, 3), 0, (6,), (1,), 0, 6),),
        (GroupPart((1,), (3,), 0, (2,), (1,), 0, 2),),
    )
    made = KERNELS["reshape"](None, columns, parts=parts, shape=(6, 2))
    assert np.array_equal(made, X.reshape(6, 4)[:, 1:3])
    assert np.shares_memory(made, X)


@pytest.mark.parametrize("kind", ["f8", "u1", "O", "?"])
@pytest.mark.parametrize("shape", [(5, 4, 6), (200, 3, 300), (300, 400, 2)])
@pytest.mark.parametrize("split", [1, 2])
@pytest.mark.parametrize(
    "lie",
    [
        lambda x: np.broadcast_to(x[:, :1], x.shape),
        lambda x: np.broadcast_to(x[..., :1], x.shape),
        lambda x: np.asfortranarray(x),
        lambda x: x[:, ::-1],
        lambda x: np.repeat(x, 2, -1)[..., ::2],
    ],
    ids=["repeated between", "repeated last", "columns first", "backwards", "apart"],
)
def test_a_reshape_of_all_cells_is_written_where_it_goes(lie, split, shape, kind):
    cells = lie((np.arange(np.prod(shape)) % 251).reshape(shape).astype(kind))
    halves = shape[:split], shape[split:]
    parts = tuple(
        (GroupPart((0,) * len(half), half, 0, (n := int(np.prod(half)),), (1,), 0, n),)
        for half in halves
    )
    wanted = cells.reshape([int(np.prod(half)) for half in halves])
    for out in (np.zeros_like(wanted), np.zeros((2 * len(wanted), wanted.shape[1] + 3), kind)):
        target = out[: len(wanted), : wanted.shape[1]]
        made = KERNELS["reshape"](target, cells, parts=parts, shape=wanted.shape)
        assert np.array_equal(made, wanted)
        assert made is target or np.shares_memory(made, cells)  # a view, or no copy of a copy
    made = KERNELS["reshape"](None, cells, parts=parts, shape=wanted.shape)
    assert np.array_equal(made, wanted)


@pytest.mark.parametrize("offset", [0, 1])
def test_a_reshape_of_some_repeated_cells_leaves_out_the_others(offset):
    cells = np.broadcast_to(np.arange(4.0)[:, None], (4, 3))
    part = GroupPart((0, 0), (4, 3), offset, (2, 3), (6, 1), 0, 6)
    out = np.zeros((2, 3))
    made = KERNELS["reshape"](out, cells, parts=((part,),), shape=(2, 3))
    assert made is out
    numbers = np.add.outer(6 * np.arange(2), np.arange(3)) + offset
    assert np.array_equal(made, cells.ravel()[numbers])


def test_a_reshape_is_put_together_from_pieces():
    x = np.arange(12.0).reshape(3, 4)
    parts = (
        GroupPart((0, 2), (1, 4), 0, (2,), (1,), 0, 2),
        GroupPart((1, 0), (2, 4), 0, (4,), (1,), 2, 4),
    )
    out = np.empty((2, 3))
    made = KERNELS["reshape"](out, x[:1, 2:], x[1:2], parts=(parts,), shape=(2, 3))
    assert made is out
    assert np.array_equal(made, np.arange(2.0, 8).reshape(2, 3))


def test_a_reshape_to_nothing():
    made = KERNELS["reshape"](None, np.zeros((0, 2), "f4"), parts=(), shape=(0, 3))
    assert made.shape == (0, 3)
    assert made.dtype == "f4"


def test_a_reshaped_block_cannot_be_written_to():
    part = GroupPart((0, 0, 0), X.shape, 0, (24,), (1,), 0, 24)
    assert not KERNELS["reshape"](None, X, parts=((part,),), shape=(24,)).flags.writeable


def test_axes_in_runs_are_read_along_their_diagonal():
    told = {"index": (slice(0, 2), slice(1, 3), slice(None)), "order": (2, 0, 1), "runs": (1, 2)}
    seen = KERNELS["view"](None, X, **told, broadcast=(), shape=(4, 2))
    assert np.array_equal(seen, np.diagonal(X[:2, 1:3]))
    assert np.shares_memory(seen, X)
    assert not seen.flags.writeable


def test_a_mosaic_lays_blocks_side_by_side_or_in_turn():
    x, y = np.zeros((2, 2)), np.ones((2, 2))
    places = ((slice(None), slice(0, None, 2)), (slice(None), slice(1, None, 2)))
    out = np.empty((2, 4))
    assert KERNELS["mosaic"](out, x, y, places=places, shape=(2, 4)) is out
    assert out.tolist() == [[0, 1, 0, 1]] * 2
    assert KERNELS["mosaic"](None, x, places=((slice(0, 2),) * 2,), shape=(2, 2)) is x
    assert KERNELS["mosaic"](None, x, places=(), shape=(0, 4)).shape == (0, 4)


def test_windows_are_a_view():
    x = np.arange(20).reshape(2, 10)
    seen = KERNELS["windows"](None, x, axis=1, step=2, pace=3, shape=(2, 3, 2))
    assert np.shares_memory(seen, x)
    assert seen.tolist() == [[[0, 3], [2, 5], [4, 7]], [[10, 13], [12, 15], [14, 17]]]
    assert KERNELS["windows"](None, x, axis=1, step=1, pace=1, shape=(2, 11, 0)).shape == (2, 11, 0)
