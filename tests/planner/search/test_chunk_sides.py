"""Chunks of values that go through a store: sides alone are compared."""

import dask_tapestry as dt
from dask_tapestry.planner.search.block_sides import BlockSides, ReadSides
from dask_tapestry.planner.search.chunk_sides import _fewer, _for_overlaps, _in_whole_numbers


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


def chunks(written, read, apart, request=1e5, least=30_000, chunk=None):
    sides = BlockSides(written, ReadSides(read, apart))
    return _for_overlaps(chunk or tuple(map(min, written, read)), sides, request, least)


def test_blocks_that_overlap_read_parts_of_what_is_written():
    """A block that is cut as chunks are would read three times as much along each dimension."""
    assert chunks((2000, 2000), (1008, 1008), (1008, 1008)) == (1008, 1008)
    assert chunks((2000, 2000), (1008, 1008), (1000, 1000)) == (500, 500)
    rows = chunks((2000, 2000), (1008, 2000), (1000, 2000))
    assert rows[0] < 300
    assert 2000 % rows[0] == 0
    assert rows[1] == 2000


def test_requests_that_take_long_are_for_longer_chunks():
    short, long = (chunks((2000, 2000), (1008, 1008), (1000, 1000), n) for n in (1e3, 1e7))
    assert short < long
    assert chunks((2000, 2000), (1008, 1008), (1000, 1000), 1e3, 10**6) >= (1000, 1000)


def test_sides_that_have_no_parts_stay_as_they_are():
    assert chunks((2003, 2003), (1008, 1008), (1000, 1000), chunk=(1008, 1008)) == (1008, 1008)


SMALL = dt.Resources(2, 2, "500 MiB")


def test_fields_of_a_loop_are_read_little_more_than_once_from_a_store():
    u, w = (dt.placeholder((16_000, 16_000), "f8", (2000, 2000)) for _ in "uw")
    for _ in range(2):
        around = dt.roll(u, 1, 0) + dt.roll(u, -1, 0) + dt.roll(u, 1, 1) + dt.roll(u, -1, 1)
        u, w = 2 * u - w + 0.1 * (around / 4 - u), u
    plan = dt.plan(u, resources=SMALL)
    dt.verify(plan, u)
    assert plan.cost["bytes_read"] < 3 * 2 * u.nbytes  # 4.8 times in chunks as blocks are
