"""Masks in the simulator pick the cells that the CPU picks."""

import numpy as np
import pytest

from dask_tapestry_kernels.cpu import KERNELS as CPU
from dask_tapestry_kernels.cuda import KERNELS as CUDA
from tests.comparisons import same_bits, values
from tests.kernels.cuda.simulated.run_kernel import run

MASK = np.array([1, 0, 1, 1, 0, 1, 0], bool)


@pytest.mark.parametrize("span", [1, 3, 7, 10])
def test_counts_of_spans(gpu, span):
    for mask in (MASK, MASK[::-2], MASK[:0]):
        made = run(CUDA["count"], None, mask, span=span)
        np.testing.assert_array_equal(made, CPU["count"](None, mask, span=span), strict=True)


@pytest.mark.parametrize("kind", "?bHlefdFD")
@pytest.mark.parametrize(("skip", "length"), [(0, 4), (1, 2), (3, 1), (4, 0)])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_a_part_of_what_is_picked(gpu, kind, skip, length, axis):
    shape = [2, 3, 2]
    shape[axis] = 7
    block, told = values(tuple(shape), kind), {"axis": axis, "skip": skip, "length": length}
    expected = CPU["compress"](None, block, MASK, **told)
    made = run(CUDA["compress"], None, block, MASK, **told)
    assert same_bits(np.ascontiguousarray(made), np.ascontiguousarray(expected))


def test_cells_and_masks_lie_anyhow(gpu):
    block, told = values((14, 3), "d")[::-2].T, {"axis": 1, "skip": 0, "length": 4}
    made = run(CUDA["compress"], None, block, MASK[::-1], **told)
    assert same_bits(made.copy(), CPU["compress"](None, block, MASK[::-1], **told).copy())


@pytest.mark.parametrize("shape", [(0,), (0, 3), (4, 0)])
def test_no_cells(gpu, shape):
    block, mask = np.zeros(shape), np.zeros(shape[0], bool)
    made = run(CUDA["compress"], None, block, mask, axis=0, skip=0, length=0)
    assert made.shape == (0, *shape[1:])
