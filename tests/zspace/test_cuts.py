from itertools import accumulate, pairwise

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from dask_tapestry.zspace import Cuts

REGULAR = st.builds(
    Cuts.regular, st.integers(0, 20), st.integers(1, 9), st.none() | st.integers(1, 9)
)
LENGTHS = st.lists(st.integers(0, 6), max_size=6)
CUTS = REGULAR | LENGTHS.map(Cuts.of_lengths)


def spans(cuts):
    edges = accumulate(cuts.lengths(), initial=0)
    return list(pairwise(edges))


@given(CUTS)
def test_blocks_tile_the_extent(cuts):
    blocks = [cuts.block(i) for i in range(cuts.count)]
    assert blocks == spans(cuts)
    assert [p for a, b in blocks for p in range(a, b)] == list(range(cuts.extent))
    assert cuts.longest == max(b - a for a, b in blocks)
    assert [b for _, b in blocks[:-1]] == list(cuts.inner_edges())
    assert all(a < b for a, b in blocks) or (cuts.extent == 0 and cuts.count == 1)


@given(st.integers(0, 20), st.integers(1, 9), st.none() | st.integers(1, 9))
def test_regular_cuts_have_one_length_but_at_the_ends(extent, step, lead):
    lengths = list(Cuts.regular(extent, step, lead).lengths())
    assert lengths[0] == min(step if lead is None else lead, extent)
    assert all(n == step for n in lengths[1:-1])
    assert all(n <= step for n in lengths[1:])


@given(LENGTHS)
def test_lengths_come_back_without_the_empty_ones(lengths):
    cuts = Cuts.of_lengths(lengths)
    assert list(cuts.lengths()) == ([n for n in lengths if n] or [0])


@given(CUTS)
def test_equal_lengths_are_equal_cuts_unless_one_block_is_told_in_many_ways(cuts):
    assert list(Cuts.of_lengths(list(cuts.lengths())).lengths()) == list(cuts.lengths())


@given(st.integers(1, 6), st.integers(1, 6), st.integers(1, 60))
def test_regular_lengths_are_written_compactly(first, step, count):
    assume(first <= step)
    assert not Cuts.of_lengths([first, *[step] * count, 1]).edges


@given(CUTS.filter(lambda c: c.extent), st.data())
def test_a_coordinate_is_in_the_block_it_is_located_in(cuts, data):
    coordinate = data.draw(st.integers(0, cuts.extent - 1))
    low, high = cuts.block(cuts.locate(coordinate))
    assert low <= coordinate < high


@given(CUTS, st.data())
def test_overlapping_blocks_are_those_that_meet(cuts, data):
    low = data.draw(st.integers(0, cuts.extent))
    high = data.draw(st.integers(low, cuts.extent))
    first, end = cuts.overlapping(low, high)
    meets = [i for i, (a, b) in enumerate(spans(cuts)) if max(a, low) < min(b, high)]
    assert list(range(first, end)) == meets


@given(CUTS, st.integers(0, 22))
def test_edges_are_where_blocks_begin_and_the_extent_ends(cuts, coordinate):
    edges = {a for a, _ in spans(cuts)} | {cuts.extent}
    if coordinate <= cuts.extent:
        assert cuts.has_edge(coordinate) == (coordinate in edges)


@given(CUTS, st.integers(0, 19), st.integers(1, 7), st.integers(0, 8))
@example(Cuts.regular(10, 4), 3, 1, 6)
@example(Cuts.regular(10, 4), 2, 8, 1)
@example(Cuts.regular(12, 6), 5, 4, 2)
@example(Cuts.regular(20, 4, 1), 0, 5, 4)
def test_a_window_is_cut_where_an_edge_lies_between_two_of_its_coordinates(
    cuts, start, step, count
):
    assume(start + step * (count - 1) < cuts.extent)
    places = [start + step * i for i in range(count)]
    owners = [cuts.locate(p) for p in places]
    changes = [i for i in range(1, count) if owners[i] != owners[i - 1]]
    edges = [0, *changes, count]
    expected = [b - a for a, b in pairwise(edges)] if count else [0]
    assert list(cuts.window(start, step, count).lengths()) == expected


@pytest.mark.parametrize(("step", "lead"), [(0, None), (-1, None), (2, 0)])
def test_blocks_have_cells(step, lead):
    with pytest.raises(ValueError, match="at least one cell"):
        Cuts.regular(5, step, lead)


def test_lengths_are_not_negative():
    with pytest.raises(ValueError, match="negative"):
        Cuts.of_lengths([3, -1])


@pytest.mark.parametrize(
    ("cuts", "text"),
    [
        (Cuts.regular(5, 9), "5"),
        (Cuts.regular(10, 4), "3x4"),
        (Cuts.of_lengths([3, 1, 4]), "(3, 1, 4)"),
        (Cuts.of_lengths([3, 1, 4, 1, 5, 9, 2]), "(3, 1, 4, 1, 5, 9, …)"),
    ],
)
def test_cuts_print_briefly(cuts, text):
    assert str(cuts) == text


@given(st.lists(LENGTHS, min_size=1, max_size=5))
def test_cuts_in_a_row_have_all_their_blocks(several):
    cuts = Cuts.in_a_row([Cuts.of_lengths(lengths) for lengths in several])
    assert [n for n in cuts.lengths() if n] == [n for lengths in several for n in lengths if n]


def test_very_many_blocks_in_a_row_are_those_of_one_grid_or_none():
    assert Cuts.in_a_row([Cuts.regular(12, 4), Cuts.regular(6, 4)], 3) == Cuts.regular(18, 4)
    assert Cuts.in_a_row([Cuts.regular(11, 4), Cuts.regular(6, 4)], 3) is None
    assert Cuts.in_a_row([Cuts.regular(12, 4), Cuts.regular(6, 3)], 3) is None


@given(LENGTHS.filter(any), st.integers(1, 40))
def test_whole_blocks_are_grouped_and_found(lengths, most):
    cuts = Cuts.of_lengths(lengths)
    grouped = cuts.grouped(most)
    assert set(grouped.inner_edges()) <= set(cuts.inner_edges())
    single = [n for n in grouped.lengths() if n > most]
    assert set(single) <= set(cuts.lengths())
    for lo in range(cuts.extent):
        begin, end = cuts.whole(lo, min(lo + most, cuts.extent))
        assert begin <= lo < min(lo + most, cuts.extent) <= end
        assert cuts.has_edge(begin)
        assert cuts.has_edge(end)
        assert cuts.locate(lo) == cuts.locate(begin)


def test_the_size_does_not_grow_with_the_blocks():
    cuts = Cuts.regular(10**15, 3)
    assert cuts.count == -(-(10**15) // 3)
    assert cuts.block(cuts.locate(10**14)) == (10**14 - 1, 10**14 + 2)
    assert cuts.window(10**12, 6, 10**13).count == 10**13
