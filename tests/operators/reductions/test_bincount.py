import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.errors import DTypeError, ShapeError
from dask_tapestry.operators.reductions.bincount import bincount, equal_parts
from dask_tapestry.operators.tuning import CELLS_A_BIN, COUNTED_LEAF_CELLS
from tests.comparisons import same_bits

RANDOM = np.random.default_rng(6)
NUMBERS = RANDOM.integers(-2, 12, (700, 500))
WEIGHTS = RANDOM.normal(size=NUMBERS.shape) * 10.0 ** RANDOM.integers(-8, 8, NUMBERS.shape)


def table(numbers, count, weights=None, **options):
    given = None if weights is None else dt.asarray(weights).node
    return dt.Array(bincount(dt.asarray(numbers).node, count, given, **options))


@pytest.mark.parametrize("dtype", ["i1", "i4", "i8"])
def test_counts_are_those_of_the_reference(dtype):
    made = table(NUMBERS.astype(dtype), 9)
    expected = made.node.operator.reference(NUMBERS)
    np.testing.assert_array_equal(made.compute(), expected)


@pytest.mark.parametrize("weights", [WEIGHTS, WEIGHTS + 1j * WEIGHTS[::-1], WEIGHTS.astype("f4")])
def test_weights_are_added(weights):
    made = table(NUMBERS, 9, weights)
    expected = made.node.operator.reference(NUMBERS, weights)
    assert made.dtype == (np.complex128 if weights.dtype.kind == "c" else np.float64)
    np.testing.assert_allclose(made.compute(), expected, atol=1e-6)


@pytest.mark.few(2)  # as unlike as so many can be
@pytest.mark.parametrize("weights", [None, WEIGHTS, WEIGHTS + 1j * WEIGHTS[::-1]])
def test_every_cut_has_one_value(weights, shardings):
    whole = table(NUMBERS, 9, weights).compute()
    for chunks in ((700, 500), (100, 500), (33, 217), (700, 1)):
        cut = dt.asarray(NUMBERS).rechunk(chunks)
        with shardings.tiny(200_000):
            assert same_bits(table(cut, 9, weights).compute(), whole)
    bins = table(NUMBERS, 9, weights).rechunk(((2, 4, 3),))
    assert same_bits(bins.compute(), whole)
    assert same_bits(table(NUMBERS, 9, weights)[2:8:3].compute(), whole[2:8:3])


def test_leaves_are_as_large_as_their_tables_are_worth():
    cells = dt.zeros(10**9, "i8").node
    small, large = (bincount(cells, n).operator.tree.sides(0)[0] for n in (100, 10**6))
    assert COUNTED_LEAF_CELLS <= small < 2 * COUNTED_LEAF_CELLS
    assert CELLS_A_BIN * 10**6 <= large < 2 * CELLS_A_BIN * 10**6
    weighed = bincount(cells, 100, dt.ones(10**9).node)
    assert weighed.operator.tree.sides(0) == (COUNTED_LEAF_CELLS,)


def test_two_workers_count_halves():
    """With leaves of a power of two one would count 16.8 million cells and the other 3.2."""
    counts = table(dt.zeros(20_000_000, "i8"), 10**6)
    machine = dt.Resources(workers=1, threads=2, memory="24 GiB")
    assert "2x1" in dt.plan(counts, resources=machine).explain()


@pytest.mark.parametrize("extent", [1, 99, 10_000, 102_347])
def test_equal_parts_cover_a_line(extent):
    parts = equal_parts(extent, 1000)
    if parts is None:
        assert extent < 2000
    else:
        (side,) = parts.sides
        count = -(-extent // side)
        assert 1000 <= side <= 2000
        assert count & (count - 1) == 0


def test_a_large_table_is_added_in_the_order_of_the_cells():
    """One leaf holds all cells, so the sums are those of `numpy.add.at`, bit for bit."""
    numbers = RANDOM.integers(0, 30_000, 50_000)
    weights = RANDOM.normal(size=50_000)
    expected = np.zeros(30_000)
    np.add.at(expected, numbers, weights)
    assert same_bits(table(numbers, 30_000, weights).compute(), expected)


def test_strict_numbers_must_be_in_the_table():
    assert table([0, 1], 2, strict=True).compute().tolist() == [1, 1]
    for wrong, said in ((2, "2 bins"), (-1, "negative")):
        with pytest.raises(ValueError, match=said):
            table([0, wrong], 2, strict=True).compute()


def test_nothing_and_a_single_cell():
    assert table(np.zeros((0, 3), int), 2).compute().tolist() == [0, 0]
    assert table(1, 2).compute().tolist() == [0, 1]


def test_what_cannot_be_counted_is_refused():
    with pytest.raises(DTypeError, match="integers"):
        table([1.0], 2)
    with pytest.raises(ShapeError, match="shapes differ"):
        table([1], 2, [1.0, 2.0])
    with pytest.raises(DTypeError, match="cannot be added"):
        table([1], 2, np.zeros(1, "m8[s]"))


def test_its_text_says_how_many_bins():
    assert bincount(dt.zeros(5, "i8").node, 4).operator.text() == "4 bins"
