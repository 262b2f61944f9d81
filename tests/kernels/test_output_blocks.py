import pickle

import numpy as np

from dask_tapestry_kernels.output_blocks import OutputAxis, OutputBlocks, OutputShape

F8 = np.dtype("f8")
PAIRS = OutputShape("pairs", F8, (OutputAxis(0, 2), OutputAxis(None, 3)))
SUMS = OutputShape("sums", F8, (OutputAxis(0, 1),))
BOTH = (PAIRS, SUMS)


def both(n=4):
    return OutputBlocks((n,), BOTH, (np.arange(6.0 * n).reshape(2 * n, 3), np.arange(1.0 * n)))


def test_a_part_is_a_view_of_each_output():
    whole = both()
    part = whole[slice(1, 3), ...]
    assert part.shape == (2,)
    assert np.array_equal(part["pairs"], whole["pairs"][2:6])
    assert np.array_equal(part["sums"], [1, 2])
    assert np.shares_memory(part["pairs"], whole["pairs"])
    assert whole.nbytes == 8 * (24 + 4)


def test_parts_are_put_together():
    whole, made = both(), OutputBlocks.empty((4,), BOTH)
    for rows in (slice(0, 1), slice(1, 4)):
        made[rows, ...] = whole[rows, ...]
    other = OutputBlocks.empty((4,), BOTH)
    other[...] = whole
    for name in ("pairs", "sums"):
        assert np.array_equal(made[name], whole[name])
        assert np.array_equal(other[name], whole[name])


def test_without_dimensions_and_pickled():
    total = OutputShape("total", F8, ())
    one = OutputBlocks((), (total,), (np.array(3.0),))
    again = pickle.loads(pickle.dumps(one[...,]))
    assert (again.shape, again["total"].tolist()) == ((), 3.0)
    assert one.map(lambda cells: cells + 1)["total"] == 4
