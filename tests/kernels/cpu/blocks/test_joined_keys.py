import numpy as np
import pytest

from dask_tapestry_kernels.cpu.blocks.joined_keys import joined_keys
from dask_tapestry_kernels.parameters.key_bytes import WORD, text_bytes
from tests.operators.sorting.test_exchange_sort import KINDS, cells

PAIRS = [(a, b) for at, a in enumerate(KINDS) for b in (KINDS[at - 1], KINDS[at - 4])]


@pytest.mark.parametrize("kinds", PAIRS)
def test_they_are_in_the_order_of_all_keys(kinds):
    keys = [cells((300,), kind, seed, few=seed == 0) for seed, kind in enumerate(kinds)]
    made = joined_keys(None, *(key[:, None] for key in keys))
    assert np.array_equal(np.argsort(made, kind="stable"), np.lexsort(keys[::-1]))


def test_few_bytes_are_a_number():
    small = np.array([[1, -1], [1, 1]], "i2")
    made = joined_keys(None, small, np.array([[5], [5]], "u4"))
    assert made.dtype == np.uint64
    assert made[0] < made[1]
    assert joined_keys(None, small, np.zeros((2, 5), "?")).dtype == np.dtype("S9")
    assert joined_keys(None, np.zeros((3, 0))).tolist() == [0, 0, 0]


@pytest.mark.parametrize("kind", KINDS)
def test_bytes_of_a_key(kind):
    made = joined_keys(None, np.zeros((1, WORD + 1), kind))
    assert made.itemsize == (WORD + 1) * text_bytes(np.dtype(kind))
