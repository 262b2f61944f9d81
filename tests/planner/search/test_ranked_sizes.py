"""Sizes of a form are looked at once each, and none coarser than one that takes too much."""

from dask_tapestry.planner.cost.rank import Rank
from dask_tapestry.planner.search.ranked_sizes import RankedSizes

SIZES, OTHER = (64, 16, 4, 1), Rank(0, 0.0, 0, 0, 9.0)
EXCESS = {64: 300, 16: 100, 4: 0, 1: 0}  # of the first step


def ranked(asked):
    def looked_at(size, most):
        asked.append((size, most.seconds))
        return Rank(EXCESS[size], 0.0, 0, 0, float(size)), EXCESS[size]

    return RankedSizes(SIZES, looked_at, OTHER)


def test_a_size_is_looked_at_once_beside_the_best_so_far():
    asked = []
    sizes = ranked(asked)
    assert [sizes.rank(at).seconds for at in (2, 3, 2)] == [4.0, 1.0, 4.0]
    assert asked == [(4, 9.0), (1, 4.0)]
    sizes.rank(0)
    assert asked[-1] == (64, 1.0)


def test_sizes_as_coarse_as_one_that_takes_too_much_do_too():
    sizes = ranked([])
    sizes.rank(2)
    assert not any(map(sizes.takes_too_much, range(4)))
    sizes.rank(1)
    assert [sizes.takes_too_much(at) for at in range(4)] == [True, True, False, False]


def test_what_later_steps_take_says_nothing_of_other_sizes():
    sizes = RankedSizes(SIZES, lambda *_: (Rank(50, 0.0, 0, 0, 1.0), 0), OTHER)
    assert sizes.rank(3).excess
    assert not sizes.takes_too_much(0)
