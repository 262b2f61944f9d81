import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.random.random_bits import (
    RandomBits,
    Stream,
    random_bits,
    random_fraction,
)
from dask_tapestry.teg import Progression, Region
from tests.operators.blocks import by_blocks, on_region, picked

STREAM = Stream((7, 2**63), 4, 1)


@pytest.mark.parametrize("shape", [(), (0,), (37,), (5, 0), (6, 7), (3, 4, 5)])
@pytest.mark.parametrize("step", [1, 2, 4, 100])
def test_blocks_of_any_size_have_the_numbers_of_the_whole(shape, step):
    node = random_bits(shape, STREAM)
    np.testing.assert_array_equal(by_blocks(node, (), step), node.operator.reference())


def test_a_region_of_a_region_is_a_region():
    node = random_bits((20, 30), STREAM)
    whole = node.operator.reference()
    outer = Region([Progression(1, 3, 6), Progression(0, 1, 30)])
    inner = Region([Progression(1, 2, 2), Progression(4, 5, 5)])
    value, yields = on_region(node, (), outer)
    assert yields == outer
    np.testing.assert_array_equal(value, picked(whole, outer))
    cut = node.operator.restrict((), outer).operator.restrict((), inner).operator
    assert cut.infer().shape == (2, 5)
    np.testing.assert_array_equal(cut.reference(), picked(picked(whole, outer), inner))


def test_slices_reach_the_numbers_themselves():
    x = dt.Array(random_bits((10**9, 10**6), STREAM))
    assert str(x[7:10, ::250_000].plan().teg).splitlines()[0] == (
        "%0 = randombits((3, 4), draw=4.1, Region[7:10:1, 0:750001:250000] of "
        "(1000000000, 1000000)) : uint64[3, 4]"
    )


def test_numbers_are_those_of_numpys_philox():
    philox = np.random.Philox(key=np.array([7, 2**63], np.uint64), counter=4 << 128 | 1 << 64)
    found = dt.Array(random_bits((11,), STREAM)).compute()
    np.testing.assert_array_equal(found, philox.random_raw(11))


@pytest.mark.parametrize(
    "other", [Stream((7, 0), 4, 1), Stream((7, 2**63), 5, 1), STREAM._replace(part=0)]
)
def test_other_seeds_calls_and_parts_have_other_numbers(other):
    a, b = (dt.Array(random_bits((4096,), s)).compute() for s in (STREAM, other))
    assert not set(a.tolist()) & set(b.tolist())
    bits = np.unpackbits((a ^ b).view(np.uint8)).mean()
    assert abs(bits - 0.5) < 5 * 0.5 / (4096 * 64) ** 0.5


def test_equal_numbers_are_one_node():
    assert random_bits((3, 4), STREAM) is random_bits((3, 4), Stream((7, 2**63), 4, 1))
    assert random_bits((3, 4), STREAM) is not random_bits((4, 3), STREAM)


def test_more_cells_than_numbers_are_refused():
    assert random_bits((2**64, 2**64), STREAM).type.size == 2**128
    with pytest.raises(dt.ShapeError, match="repeat"):
        random_bits((2**64, 2**64, 2), STREAM)


def test_cells_behind_the_first_page_are_those_of_the_next_counter():
    philox = np.random.Philox(
        key=np.array([7, 2**63], np.uint64), counter=3 << 192 | 4 << 128 | 1 << 64
    )
    far = random_bits((2**40, 2**30), STREAM)
    found = dt.Array(far)[3 * 2**34, :9].compute()
    np.testing.assert_array_equal(found, philox.random_raw(9))
    first = dt.Array(random_bits((9,), STREAM)).compute()
    np.testing.assert_array_equal(dt.Array(far)[0, :9].compute(), first)


def test_every_bit_is_set_half_the_time_and_follows_no_other():
    count = 1 << 16
    bits = dt.Array(random_bits((count,), STREAM)).compute()
    table = np.unpackbits(bits.view(np.uint8)).reshape(count, 64).astype(float) - 0.5
    assert abs(table.mean(axis=0)).max() < 4.5 * 0.5 / count**0.5
    among = table.T @ table / (count / 4) - np.eye(64)
    assert abs(among).max() < 5.5 / count**0.5
    next_to = table[1:].T @ table[:-1] / (count / 4)
    assert abs(next_to).max() < 5.5 / count**0.5


def test_its_parameters_are_all_of_it():
    node = random_bits((4,), STREAM)
    assert node.operator == RandomBits(STREAM, (4,), Region.whole((4,)))
    assert node.operator.flops((), node.type.box) > 0


def test_fractions_are_made_of_the_bits():
    bits = dt.Array(random_bits((20, 30), STREAM)).compute()
    node = random_fraction((20, 30), STREAM, 11, np.dtype("f8"), least=1)
    expected = ((bits >> np.uint64(11)).astype("f8") + 1) * 2.0**-53
    assert np.array_equal(node.operator.reference(), expected)
    x = dt.Array(node)
    assert np.array_equal(x.compute(), expected)
    assert np.array_equal(x.rechunk((7, 11)).compute(), expected)
    assert str(x[3:5, ::9].plan().teg).startswith("%0 = randomfraction((2, 4), draw=4.1, Region[")
    assert np.array_equal(x[3:5, ::9].compute(), expected[3:5, ::9])
    with pytest.raises(dt.ShapeError):
        random_fraction((2**64, 2**64, 2), STREAM, 11, np.dtype("f8"))
