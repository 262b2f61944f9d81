import numpy as np
import pytest

from dask_tapestry_kernels.cpu import KERNELS
from dask_tapestry_kernels.cpu.jit import compile_service

MASK = np.array([1, 0, 1, 1, 0, 1, 0], bool)


def test_counts_of_spans():
    assert KERNELS["count"](None, MASK, span=3).tolist() == [2, 2, 0]
    assert KERNELS["count"](None, MASK[:0], span=3).tolist() == []


@pytest.mark.parametrize("mode", ["wait", "off"])
@pytest.mark.parametrize("span", [1, 7, 255, 256, 4096, 5000, 40_000])
def test_counts_of_long_masks_that_lie_anyhow(span, mode):
    mask = np.random.default_rng(2).random(30_000) < 0.3
    with compile_service.mode(mode):
        for one in (mask, mask[3:], mask[::2], mask[::-1]):
            found = KERNELS["count"](None, one, span=span)
            expected = [np.count_nonzero(one[a : a + span]) for a in range(0, len(one), span)]
            assert (found.dtype, found.tolist()) == (np.int64, expected)


@pytest.mark.parametrize(("skip", "length"), [(0, 4), (1, 2), (0, 3), (4, 0)])
def test_a_part_of_what_is_picked(skip, length):
    block = np.arange(14.0).reshape(2, 7)
    told = {"axis": 1, "skip": skip, "length": length}
    expected = block[:, MASK][:, skip : skip + length]
    assert np.array_equal(KERNELS["compress"](None, block, MASK, **told), expected)
    flat = KERNELS["compress"](None, block[0], MASK, axis=0, skip=skip, length=length)
    assert np.array_equal(flat, block[0][MASK][skip : skip + length])


@pytest.mark.parametrize("shape", [(40_000, 3), (40_000, 2, 2), (40_000, 0)])
def test_slices_of_a_large_block_fill_the_buffer(shape):
    random = np.random.default_rng(1)
    block, mask = random.random(shape), random.random(shape[0]) < 0.4
    expected = block[mask]
    out = np.empty(expected.shape)
    told = {"axis": 0, "skip": 0, "length": len(expected)}
    for mode in ("wait", "off"):
        with compile_service.mode(mode):
            out[...] = -1
            assert KERNELS["compress"](out, block, mask, **told) is out
            assert np.array_equal(out, expected)
