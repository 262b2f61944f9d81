import pickle

import numpy as np

from dask_tapestry_kernels.bucket_blocks import BucketBlocks


def some(shape=(2, 3)):
    made = BucketBlocks.empty(shape)
    for number, at in enumerate(np.ndindex(shape)):
        made.cells[at] = np.full(number, number)
    return made


def test_parts_are_taken_and_put_together():
    whole = some()
    made = whole.like((2, 3))
    for run in range(2):
        made[run : run + 1, ...] = whole[run : run + 1, ...]
    assert [len(b) for b in made.cells.flat] == [0, 1, 2, 3, 4, 5]
    assert whole[:, 1:2].shape == (2, 1)
    assert whole[:, 1:2].cells[1, 0] is whole.cells[1, 1]


def test_bytes_copies_and_pickles():
    whole = some()
    assert whole.nbytes == 8 * 15
    assert whole.map(lambda b: b + 1).cells[1, 2].tolist() == [6] * 5
    alike = some((1, 3))[:, 1:2]  # buckets of one length are no array of more dimensions
    for blocks in (whole, alike, BucketBlocks.empty((0, 3))):
        again = pickle.loads(pickle.dumps(blocks))
        assert again.shape == blocks.shape
        assert [list(b) for b in again.cells.flat] == [list(b) for b in blocks.cells.flat]


def test_many_small_buckets_travel_as_one_array():
    frames: list[pickle.PickleBuffer] = []
    again = pickle.dumps(some((20, 30)), protocol=5, buffer_callback=frames.append)
    assert len(frames) == 2  # the cells, and where buckets end
    found = pickle.loads(again, buffers=frames)
    assert [len(bucket) for bucket in found.cells.flat] == list(range(600))


def test_rows_and_what_is_not_alike_travel():
    rows = BucketBlocks.empty((1, 3))
    mixed = BucketBlocks.empty((1, 3))
    for n in range(3):
        rows.cells[0, n] = np.full((n, 2), n)
        mixed.cells[0, n] = np.full(n, n, [int, float, bool][n])
    for blocks in (rows, mixed):
        again = pickle.loads(pickle.dumps(blocks))
        for one, other in zip(again.cells.flat, blocks.cells.flat, strict=True):
            np.testing.assert_array_equal(one, other, strict=True)
    nothing = pickle.loads(pickle.dumps(BucketBlocks.empty((2, 2))))
    assert nothing.cells[1, 1] is None
