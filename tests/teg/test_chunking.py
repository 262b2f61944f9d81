from itertools import accumulate, pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from dask_tapestry.teg.chunking import (
    AxisChunks,
    common_chunks,
    concatenated_chunks,
    declared_chunks,
    followed,
    without_slivers,
)
from dask_tapestry.teg.tuning import LITTLE_SHIFT, SLIVER_RATIO
from dask_tapestry.zspace import Cuts, ZRange


def lengths(known):
    return [None if one is None else list(one.cuts.lengths()) for one in known]


@st.composite
def slices(draw):
    """A dimension with its cuts, and a slice of it with at least two cells."""
    parts = draw(st.lists(st.integers(1, 5), min_size=2, max_size=6))
    extent = sum(parts)
    step = draw(st.integers(1, 3)) * draw(st.sampled_from([1, -1]))
    cells = range(extent)[draw(st.integers(0, extent - 2)) :: abs(step)]
    assume(len(cells) > 1)
    return parts, cells if step > 0 else cells[::-1]


@given(slices())
def test_a_steady_walk_meets_the_edges_between_its_cells(case):
    parts, cells = case
    owner = [block for block, n in enumerate(parts) for _ in range(n)]

    def demand(box):
        cell = cells[box.lo[0]]
        return (ZRange((cell,), (cell + 1,)),)

    (found,) = followed(
        demand, (len(cells),), [(len(owner),)], [declared_chunks([Cuts.of_lengths(parts)])]
    )
    blocks = [owner[cell] for cell in cells]
    edges = [i for i in range(1, len(cells)) if blocks[i] != blocks[i - 1]]
    assert list(found.cuts.inner_edges()) == edges


def test_what_moves_nothing_is_not_known():
    whole = ZRange((0,), (6,))
    rows = declared_chunks([Cuts.regular(6, 4)])
    assert followed(lambda box: (whole,), (3,), [(6,)], [rows]) == (None,)


def test_what_is_as_long_and_read_whole_keeps_its_chunks():
    whole = ZRange((0,), (6,))
    rows = declared_chunks([Cuts.regular(6, 4)])
    assert lengths(followed(lambda box: (whole,), (6,), [(6,)], [rows])) == [[4, 2]]


def test_axes_beside_one_without_cells_keep_their_chunks():
    empty = declared_chunks([Cuts.regular(0, 1), Cuts.regular(3, 2)])
    found = followed(lambda box: (box,), (0, 3), [(0, 3)], [empty])
    assert lengths(found) == [[0], [2, 1]]
    rows = lambda box: (ZRange((0, box.lo[0]), (0, box.hi[0])),)  # noqa: E731
    assert lengths(followed(rows, (3,), [(0, 3)], [empty])) == [[2, 1]]


@pytest.mark.parametrize("order", [1, -1])
def test_what_is_said_goes_before_what_is_not(order):
    mine, other = AxisChunks(Cuts.regular(6, 4), False), AxisChunks(Cuts.regular(6, 5), True)
    assert common_chunks([mine, other][::order]) == other


def test_edges_of_all_that_is_said_count():
    found = common_chunks(declared_chunks([Cuts.regular(6, 4), Cuts.regular(6, 3)]))
    assert list(found.cuts.lengths()) == [3, 1, 2]
    assert common_chunks([]) is None


@given(st.lists(st.integers(1, 40), min_size=1, max_size=30), st.integers(1, 60))
def test_slivers_are_joined_and_nothing_else(parts, longest):
    left = list(without_slivers(parts, longest).lengths())
    edges, kept = ({0, *accumulate(row)} for row in (parts, left))
    assert kept <= edges
    assert sum(left) == sum(parts)
    assert max(left) <= max(longest, *parts)
    for a, b in pairwise(left):
        assert a + b > longest or min(a, b) * SLIVER_RATIO >= longest


def test_what_is_in_a_row_and_nobody_said_is_cut_canonically():
    short, long = (AxisChunks(Cuts.regular(n, n), False) for n in (2, 7))
    assert concatenated_chunks([short, long]) is None
    assert list(concatenated_chunks([short, short]).cuts.lengths()) == [2, 2]
    assert list(concatenated_chunks([short, long._replace(said=True)]).cuts.lengths()) == [2, 7]


def test_shifted_chunks_meet_without_slivers():
    rows = Cuts.regular(60, 20)
    shifted = [AxisChunks(rows.window(k, 1, 58), True) for k in range(3)]
    assert list(common_chunks(shifted).cuts.lengths()) == [20, 20, 18]


def test_chunks_are_filled_again_over_another_extent():
    chunks = AxisChunks(Cuts.of_lengths([1, 4, 2]), True)
    assert list(chunks.refilled(10).cuts.lengths()) == [4, 4, 2]


def test_chunks_are_not_told_where_they_would_be_too_many():
    fine, odd = declared_chunks([Cuts.regular(10**9, 2), Cuts.regular(10**9, 3)])
    assert common_chunks([fine, fine]) == fine
    assert common_chunks([fine, odd]) is None
    assert concatenated_chunks([fine, odd]) is None
    assert list(concatenated_chunks(declared_chunks([Cuts.regular(3, 2)] * 2)).cuts.lengths()) == [
        2,
        1,
        2,
        1,
    ]


@given(st.integers(1, 9), st.data())
def test_of_grids_shifted_a_little_the_one_counts_whose_chunks_end_first(widest, data):
    """So a node that ends with a chunk needs none of the next one of any of them."""
    step = widest * LITTLE_SHIFT
    shifts = data.draw(st.lists(st.integers(0, widest), min_size=1, max_size=5))
    first = data.draw(st.integers(0, step - 1))
    cuts = [Cuts.regular(5000, step, (first + shift) % step or step) for shift in shifts]
    stored = [AxisChunks(one, True, weight=8) for one in cuts]
    lighter = AxisChunks(Cuts.regular(5000, step, (first - 1) % step or step), True, weight=4)
    known = common_chunks([*stored, lighter])
    assert known.cuts == cuts[shifts.index(min(shifts))]


def test_of_grids_shifted_far_the_first_counts():
    grids = [Cuts.regular(90, 10, lead) for lead in (3, 2, 10)]
    assert common_chunks([AxisChunks(one, True, weight=8) for one in grids]).cuts == grids[0]


def test_grids_that_are_not_shifted_ones_do_not_end_before_another():
    for other in (Cuts.regular(90, 7), Cuts.regular(80, 10, 9), Cuts.of_lengths([9, 40, 41])):
        one = AxisChunks(Cuts.regular(90, 10), True, weight=8)
        assert common_chunks([one, AxisChunks(other, True, weight=8)]) == one
