import numpy as np
import pytest

from dask_tapestry_kernels.cpu import KERNELS
from dask_tapestry_kernels.output_blocks import OutputAxis, OutputBlocks, OutputShape

F8 = np.dtype("f8")
PAIRS = OutputShape("pairs", F8, (OutputAxis(0, 2), OutputAxis(None, 3)))
SUMS = OutputShape("sums", F8, (OutputAxis(0, 1),))
BOTH = (PAIRS, SUMS)


def both(n=4):
    return OutputBlocks((n,), BOTH, (np.arange(6.0 * n).reshape(2 * n, 3), np.arange(1.0 * n)))


def called(function, points=(4,), numbers=(0, 1), returned=2, outputs=BOTH):
    told = {"points": points, "numbers": numbers, "returned": returned, "outputs": outputs}
    return KERNELS["calloutputs"](None, np.zeros(points), function=function, **told)


def test_the_results_that_are_asked_for_are_kept():
    results = (np.zeros((8, 3)), np.ones(4))
    assert called(lambda _: results).arrays == results
    fewer = called(lambda _: results, numbers=(1,), outputs=(SUMS,))
    assert len(fewer.arrays) == 1
    assert fewer["sums"] is results[1]


def test_no_points_call_nothing():
    made = called(pytest.fail, points=(0,))
    assert [a.shape for a in made.arrays] == [(0, 3), (0,)]


def test_what_is_not_declared_is_refused():
    with pytest.raises(ValueError, match="returned ndarray where 2 are declared"):
        called(lambda x: x)
    with pytest.raises(ValueError, match="returned 3 values where 2 are declared"):
        called(lambda x: (x, x, x))
    with pytest.raises(ValueError, match=r"'s pairs returned shape \(4,\) where"):
        called(lambda x: (x, x))


def test_an_output_is_taken_without_a_copy():
    take, whole = KERNELS["output"], both()
    assert take(None, whole, name="sums", keep=(slice(0, 4),)) is whole["sums"]
    some = take(None, whole, name="pairs", keep=(slice(1, 3), slice(0, 2)))
    assert np.array_equal(some, whole["pairs"][1:3, :2])


def test_joint_windows_are_the_blocks_where_these_are_whole():
    pairs, sums = np.ones((7, 3)), np.arange(4.0)
    made = ((slice(1, 8), slice(0, 3)), (slice(0, 4),))
    windows = KERNELS["jointwindows"](None, pairs, sums, points=(4,), outputs=BOTH, made=made)
    assert windows["sums"] is sums
    assert windows["pairs"].shape == (8, 3)
    assert np.array_equal(windows["pairs"][1:], pairs)
