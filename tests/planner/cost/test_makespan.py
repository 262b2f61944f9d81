import pytest

from dask_tapestry.planner.cost.makespan import GridBlocks
from dask_tapestry.zspace import Cuts


def waves(cuts, slots):
    return GridBlocks.of(cuts).waves(slots)


def test_a_last_wave_of_largest_blocks_counts_whole():
    assert [waves([Cuts.regular(n, 1)], 4) for n in (1, 4, 5, 8, 9)] == [1, 1, 2, 2, 3]


def test_smaller_blocks_fill_a_last_wave():
    assert waves([Cuts.regular(14, 4)], 2) == 2, "4 + 4 beside 4 + 2"
    assert waves([Cuts.regular(10, 4)], 2) == 1.5, "4 beside 4 + 2"
    both = [Cuts.regular(5, 4), Cuts.regular(5, 4)]
    assert waves(both, 4) == 1
    assert GridBlocks.of(both).equal == 25 / 16


def test_blocks_of_any_lengths_are_compared_with_the_longest():
    assert waves([Cuts.of_lengths([3, 5, 5, 5, 1])], 2) == pytest.approx(2.4)
    assert waves([Cuts.regular(10, 4, 2)], 2) == 1.5
    assert waves([Cuts.regular(0, 4)], 2) == 1


def test_many_pieces_end_near_their_mean():
    cuts = [Cuts.regular(8, 2)]
    assert GridBlocks.of(cuts).uneven(4) == GridBlocks.of(cuts).uneven() / 2
    assert GridBlocks.of([Cuts.regular(8, 8)]).uneven() == 0


def test_more_blocks_than_floats_count():
    blocks = GridBlocks.of([Cuts.regular(1024, 1)] * 10)
    assert blocks.waves(3) == pytest.approx(2**100 / 3)
    uneven = GridBlocks.of([*[Cuts.regular(1024, 1)] * 10, Cuts.regular(3, 2)])
    assert uneven.waves(3) >= 2**100 / 3
