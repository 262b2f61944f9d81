import gc

import numpy as np
import pytest

from dask_tapestry.lower import aligned_blocks
from dask_tapestry.lower.aligned_blocks import aligned


@pytest.fixture(autouse=True)
def copies_of_anything_are_kept(monkeypatch):
    monkeypatch.setattr(aligned_blocks, "LEAST_KEPT_COPY_BYTES", 1)


def shifted(shape, order="C"):
    """Cells as they come over a network."""
    x = np.empty(int(np.prod(shape)) * 8 + 1, np.uint8)[1:].view("f8").reshape(shape, order=order)
    x[...] = np.arange(x.size).reshape(shape)
    assert not x.flags.aligned
    return x


def test_cells_that_are_aligned_are_not_copied():
    x = np.ones((3, 4))
    assert aligned(x) is x


@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("shape", [(3, 4), (300, 200)])
def test_a_copy_lies_as_what_it_is_a_copy_of(shape, order):
    x = shifted(shape, order)
    copy = aligned(x)
    assert copy.flags.aligned
    assert (copy.flags.c_contiguous, copy.flags.f_contiguous) == (order == "C", order == "F")
    np.testing.assert_array_equal(copy, x)


def test_the_last_copy_is_kept_as_long_as_its_block():
    x, y = shifted((3, 4)), shifted((5,))
    copy = aligned(x)
    assert aligned(x) is copy
    other = aligned(y)
    assert aligned(y) is other
    assert aligned(x) is not copy
    assert aligned_blocks._last[0].of() is x
    del x
    gc.collect()
    assert not aligned_blocks._last


def test_small_copies_are_not_kept(monkeypatch):
    monkeypatch.setattr(aligned_blocks, "LEAST_KEPT_COPY_BYTES", 1000)
    x, small = shifted((300,)), shifted((3,))
    copy = aligned(x)
    assert aligned(small) is not aligned(small)
    assert aligned(x) is copy
