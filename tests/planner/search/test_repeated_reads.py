"""Whether a step takes long to read again what it needs."""

from dataclasses import replace

from dask_tapestry.planner.search.choices import Choices
from dask_tapestry.planner.search.repeated_reads import reads_again
from dask_tapestry.planner.search.tuning import LONG_STEP_SECONDS
from tests.planner.graphs import stored
from tests.planner.spaces import space_of


def test_a_long_step_reads_again_that_carries_more_than_twice_as_much():
    space = space_of(stored((100_000, 100_000), "f8", (2000, 2000)) + 1)
    (priced,) = space.state(Choices()).placed.values()
    once = replace(priced.cost, seconds=2 * LONG_STEP_SECONDS)
    twice = replace(once, read=3 * once.read, network=once.seconds)
    assert reads_again(twice, once)
    assert not reads_again(twice, once, times=4.0)
    assert not reads_again(once, once)
    short = replace(twice, seconds=LONG_STEP_SECONDS / 2)
    assert not reads_again(short, once)
    assert reads_again(short, once, least=short.seconds / 2)
    assert not reads_again(replace(twice, network=0.0, store=0.0), once)
