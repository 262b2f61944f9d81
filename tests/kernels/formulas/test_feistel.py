import numpy as np
import pytest

from dask_tapestry_kernels.formulas.feistel import ROUNDS, bits_below, feistel, round_keys

KEYS = round_keys((5, 2**64 - 9), (3, 1))


@pytest.mark.parametrize("bits", [2, 3, 8, 13])
def test_every_number_comes_once(bits):
    moved = feistel(np.arange(2**bits, dtype=np.uint64), bits, KEYS)
    np.testing.assert_array_equal(np.sort(moved), np.arange(2**bits))
    assert not (moved == np.arange(2**bits)).all()


@pytest.mark.parametrize("bits", [2, 21, 63])
def test_one_number_is_moved_as_those_of_an_array(bits):
    numbers = np.array([0, 1, 2, 3, 2**bits - 1], np.uint64)
    assert [feistel(number, bits, KEYS) for number in numbers] == list(feistel(numbers, bits, KEYS))


def test_numbers_below_an_extent_have_bits_for_both_halves():
    assert [bits_below(n) for n in (1, 2, 4, 5, 2**20, 2**20 + 1)] == [2, 2, 2, 3, 20, 21]


def test_keys_are_random_bits_of_the_draw():
    assert len(set(KEYS)) == ROUNDS
    assert round_keys((5, 2**64 - 9), (4, 1)) != KEYS


def test_a_network_with_too_few_rounds_would_be_found_out():
    """Tests of permutations can fail: two rounds leave the halves correlated."""
    cells = np.arange(4096, dtype=np.uint64)
    right = feistel(cells, 12, KEYS[:1]) & np.uint64(63)
    assert (right == cells & np.uint64(63)).all()
