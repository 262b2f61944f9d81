"""Programs of arrays, stores and assignments, a share of them each time."""

from random import Random

import pytest

from tests.covering import seeds_of
from tests.fuzz.stateful.programs import WAYS, run


@pytest.mark.parametrize("seed", seeds_of(range(12), 3))
def test_arrays_and_stores_have_numpys_cells(seed):
    run(Random(f"stateful {seed}"))


def test_every_way_is_drawn():
    texts = " ".join(line for seed in range(12) for line in run(Random(seed), steps=4))
    assert sum(way.__name__.strip("_") in texts for way in WAYS) > len(WAYS) * 0.8


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", range(300))
def test_many_programs(seed):
    run(Random(f"many {seed}"), steps=20)
