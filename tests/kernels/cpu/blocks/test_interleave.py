import numpy as np
import pytest

from dask_tapestry_kernels.cpu.blocks.interleave import SMALL, interleaved
from dask_tapestry_kernels.cpu.blocks.select import concat
from dask_tapestry_kernels.cpu.jit import compile_service

SIDES = (SMALL // 256, 257, 1)


@pytest.fixture(autouse=True)
def every_kernel_compiled():
    with compile_service.mode("wait"):
        yield


def blocks(kind, count, sides=SIDES):
    cells = np.random.default_rng(0).integers(0, 100, (count, *sides))
    return list(cells.astype(kind))


@pytest.mark.parametrize("kind", ["?", "u1", "f2", "f4", "f8", "M8[s]"])
@pytest.mark.parametrize("count", [2, 3, 4])
def test_blocks_of_one_cell_along_the_last_axis_are_joined(kind, count):
    own = blocks(kind, count)
    expected = np.concatenate(own, 2)
    found, out = interleaved(None, own, 2), np.zeros_like(expected)
    assert found is not None
    assert found.dtype == expected.dtype
    assert np.array_equal(found, expected)
    assert interleaved(out, own, 2) is out
    assert np.array_equal(out, expected)
    assert np.array_equal(concat(None, *own, axis=2), expected)


def test_axes_of_one_cell_may_come_after():
    own = blocks("f4", 3, (*SIDES, 1))
    assert np.array_equal(interleaved(None, own, 2), np.concatenate(own, 2))


@pytest.mark.parametrize(
    ("given", "axis"),
    [
        (blocks("f4", 5), 2),
        (blocks("f4", 1), 2),
        (blocks("c16", 2), 2),
        (blocks(">f8", 2), 2),
        (blocks("f4", 2), 0),
        (blocks("f4", 2, (100, 2)), 1),
        (blocks("f4", 2, (10, 1)), 1),
        ([blocks("f4", 1)[0], blocks("f8", 1)[0]], 2),
        ([block[::-1] for block in blocks("f4", 2)], 2),
        (blocks("O", 2), 2),
    ],
)
def test_numpy_joins_others(given, axis):
    assert interleaved(None, given, axis) is None


def test_a_result_that_lies_otherwise_is_not_written_to():
    own = blocks("f4", 2)
    out = np.zeros((*SIDES[:2], 4), "f4")[..., ::2]
    found = interleaved(out, own, 2)
    assert not np.any(out)
    assert np.array_equal(found, np.concatenate(own, 2))
