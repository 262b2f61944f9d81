"""Random programs of large arrays have plans whose memory is verified, or are refused for it."""

from random import Random

import pytest

import dask_tapestry as dt
from dask_tapestry.errors import MemoryLimitError
from tests.covering import seeds_of
from tests.fuzz.large import programs


def planned(seed, budget):
    """Plan a program, and verify the plan."""
    random = Random(seed)
    text, outputs, resources = programs.drawn(random)
    try:
        dt.plan(*outputs, resources=resources, budget=budget).verify()
    except MemoryLimitError:
        pass  # the words of a refusal have tests of their own
    except Exception as error:
        error.add_note(f"program {seed}:\n{text}")
        raise


@pytest.mark.parametrize("seed", seeds_of(range(60), 3))
def test_a_fixed_share_of_large_programs(seed):
    planned(seed, 0.0)


@pytest.mark.slow
@pytest.mark.parametrize("seed", seeds_of(range(1000, 1200), 3))
def test_many_large_programs(seed):
    planned(seed, None)
