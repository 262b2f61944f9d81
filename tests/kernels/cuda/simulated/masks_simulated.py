"""Masks in the simulator: the cells and the counts of the CPU's."""

import numpy as np
import pytest

from dask_tapestry_kernels.cpu import KERNELS as CPU
from dask_tapestry_kernels.cuda import KERNELS as CUDA
from tests.comparisons import same_bits
from tests.kernels.cuda.simulated.run_kernel import run

GENERATOR = np.random.default_rng(41)


def mask(count, share=0.5):
    return GENERATOR.random(count) < share


@pytest.mark.parametrize("span", [1, 4, 9, 100, 10**6])
@pytest.mark.parametrize("count", [0, 1, 130])
def test_counts_of_spans(gpu, count, span):
    for given in (mask(count), mask(count, 0), mask(count, 1), mask(2 * count)[::-2]):
        expected = CPU["count"](None, given, span=span)
        assert same_bits(run(CUDA["count"], None, given, span=span), expected)


def test_spans_are_counted_in_parts(gpu, monkeypatch):
    from dask_tapestry_kernels.cuda.blocks import compress

    monkeypatch.setattr(compress, "CELLS", 1)
    given = mask(160)
    for span in (64, 160):
        expected = CPU["count"](None, given, span=span)
        assert same_bits(run(CUDA["count"], None, given, span=span), expected)
    assert gpu.launches[0][1] > 3


@pytest.mark.covering
@pytest.mark.parametrize("kind", "?bHfdD")
@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("share", [0, 0.5, 1])
def test_slices_where_a_mask_is_true(gpu, kind, axis, share):
    x = GENERATOR.normal(size=(3, 4, 5)).astype(kind)
    own = mask(x.shape[axis], share)
    n = int(own.sum())
    for skip, length in ((0, n), (1, max(0, n - 2)), (0, 0)):
        for block in (x, np.asfortranarray(x), x[::-1, :, ::-1]):
            told = {"axis": axis, "skip": skip, "length": length}
            expected = CPU["compress"](None, block, own, **told)
            assert same_bits(run(CUDA["compress"], None, block, own, **told), expected)


def test_a_line_and_memory_that_is_given(gpu):
    x, own = GENERATOR.normal(size=50), mask(50)
    out = np.zeros(int(own.sum()))
    told = {"axis": 0, "skip": 0, "length": len(out)}
    assert same_bits(run(CUDA["compress"], out, x, own, **told), x[own])
    assert same_bits(out, x[own])
    assert run(CUDA["compress"], None, x[:0], own[:0], **told).shape == (0,)
