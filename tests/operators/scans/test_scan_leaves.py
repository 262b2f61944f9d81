import pytest
from hypothesis import given
from hypothesis import strategies as st

from dask_tapestry.cells import Spaced
from dask_tapestry.operators.scans.scan_leaves import divisors, leaf_length
from dask_tapestry.operators.tuning import SCAN_LEAF_CELLS


def test_the_length_of_a_leaf_depends_on_the_extent():
    assert leaf_length(0) == leaf_length(10**9) == SCAN_LEAF_CELLS
    assert leaf_length(2**40) == 2**16


@given(st.integers(1, 10_000))
def test_divisors_are_all_that_divide(number):
    assert divisors(number) == [n for n in range(1, number + 1) if number % n == 0]


@given(st.integers(2, 10**9), st.integers(1, 10**5), st.data())
def test_chunks_end_where_leaves_do_or_leaves_where_chunks_do(extent, side, data):
    chunks = Spaced(side, -data.draw(st.integers(0, side - 1)))
    leaf, usual, first = leaf_length(extent, chunks), leaf_length(extent), side + chunks.offset
    if leaf != usual:
        whole = side % leaf == 0 and first % leaf == 0
        assert whole or (leaf % side == 0 and first == side)
        assert usual / 4 <= leaf <= usual * 4
    elif first < extent and not chunks.offset and side <= usual:
        assert usual % side == 0


@pytest.mark.parametrize(
    ("chunks", "leaf"),
    [
        (Spaced(2000), 125),
        (Spaced(2000, -500), 125),
        (Spaced(1), 128),
        (Spaced(30), 120),
        (Spaced(365), 73),
        (Spaced(100), 100),
        (Spaced(997), 128),
        (Spaced(2000, -5), 128),
        (None, 128),
    ],
)
def test_leaves_fit_stored_chunks(chunks, leaf):
    assert leaf_length(100_000, chunks) == leaf
