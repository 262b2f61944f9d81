import numpy as np
import pytest

from dask_tapestry_kernels.bucket_blocks import BucketBlocks
from dask_tapestry_kernels.cpu import KERNELS
from dask_tapestry_kernels.cpu.jit import compile_service

MASK = np.array([1, 0, 1, 1, 0, 1, 0], bool)


def test_a_bucket_has_what_is_picked_of_a_span():
    made = KERNELS["pickspans"](None, np.arange(7.0), MASK, span=3)
    assert [bucket.tolist() for bucket in made.cells] == [[0, 2], [3, 5], []]
    assert KERNELS["pickspans"](None, np.arange(0.0), MASK[:0], span=3).shape == (0,)


@pytest.mark.parametrize("mode", ["wait", "off"])
@pytest.mark.parametrize("row", [(), (3,), (2, 0)])
def test_buckets_of_large_blocks(row, mode):
    random = np.random.default_rng(1)
    block, mask = random.random((40_000, *row)), random.random(40_000) < 0.4
    with compile_service.mode(mode):
        made = KERNELS["pickspans"](None, block, mask, span=1024)
    for at, bucket in enumerate(made.cells):
        part = slice(at * 1024, (at + 1) * 1024)
        assert np.array_equal(bucket, block[part][mask[part]])


@pytest.mark.parametrize("given", [True, False])
@pytest.mark.parametrize(("skip", "length"), [(0, 6), (1, 3), (2, 1), (0, 0), (3, 3)])
def test_a_part_of_what_is_in_buckets(skip, length, given):
    whole = np.arange(24.0).reshape(6, 4)
    buckets = BucketBlocks.empty((4,))
    for at, (a, b) in enumerate([(0, 2), (2, 2), (2, 3), (3, 6)]):
        buckets.cells[at] = whole[a:b]
    told = {"skip": skip, "length": length, "within": (slice(1, 3),), "dtype": whole.dtype}
    out = np.empty((length, 2)) if given else None
    made = KERNELS["joinspans"](out, buckets, **told)
    assert np.array_equal(made, whole[skip : skip + length, 1:3])
    assert out is None or made is out
