"""Chunks of values that go through a store: sides alone are compared."""

from dask_tapestry.planner.search.chunk_sides import _fewer, _in_whole_numbers


def test_sides_that_are_cut_are_cut_further():
    assert _fewer((1000, 6, 90), (1000, 700, 1400), 10**9) == (1000, 6, 90)
    assert _fewer((1000, 6, 90), (1000, 700, 1400), 200_000) == (1000, 6, 23)
    assert _fewer((1000, 6, 90), (1000, 700, 1400), 10) == (1000, 1, 1)
    assert _fewer((8, 700, 1400), (1000, 700, 1400), 10) == (1, 700, 1400)


def test_chunks_fill_what_is_made_together():
    """Windows of a merge in chunks that end elsewhere would be made 16 at a time, or not at all."""
    assert _in_whole_numbers(2_000_000, 3_125_000) == 1_562_500
    assert _in_whole_numbers(7_000_000, 3_125_000) == 6_250_000
    assert _in_whole_numbers(2_000_000, 3_125_003) == 3_125_003  # which has no few equal parts
