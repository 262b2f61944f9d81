import pickle

import numpy as np

from dask_tapestry_kernels.cpu.blocks.buckets import BucketBlocks


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
