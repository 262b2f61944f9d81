"""Random programs of large arrays have plans whose memory is verified, or are refused for it.

Programs of smaller ones have NumPy's shapes and dtypes, and the same bits in small pieces as whole.
"""

from random import Random

import numpy as np
import pytest
import zarr

import dask_tapestry as dt
from dask_tapestry.errors import MemoryLimitError
from tests.comparisons.table import same_bits
from tests.covering import seeds_of
from tests.fuzz.large import programs
from tests.fuzz.programs import WHOLE, Sharding
from tests.pieces import pieces_of

SMALL_SHAPES = (
    (40_000,), (30_001,), (2000, 24), (24, 3000), (300, 401), (200, 12, 16), (60, 3, 16, 16),
    (3000, 8, 3),
)  # fmt: skip


def planned(seed, budget):
    """Plan a program, and verify the plan."""
    text, outputs, resources = programs.drawn(Random(seed))
    try:
        dt.plan(*outputs, resources=resources, budget=budget).verify()
    except MemoryLimitError:
        pass  # the words of a refusal have tests of their own
    except Exception as error:
        error.add_note(f"program {seed}:\n{text}")
        raise


@pytest.mark.parametrize("seed", seeds_of(range(60), 2))
def test_a_fixed_share_of_large_programs(seed):
    planned(seed, 0.0)


@pytest.mark.slow
@pytest.mark.parametrize("seed", seeds_of(range(1000, 1200), 2))
def test_many_large_programs(seed):
    planned(seed, None)


def stored(rng):
    """Makes arrays of small numbers, and those in chunks of a store."""

    def cells(shape, dtype, _sides):
        return (10 * rng.random(shape)).astype(dtype)

    def chunked(shape, dtype, sides):
        store = zarr.storage.MemoryStore()
        array = zarr.create_array(store, shape=shape, chunks=sides, dtype=np.dtype(dtype))
        array[...] = cells(shape, dtype, sides)
        return dt.from_zarr(array)

    return cells, chunked


def computed(seed):
    """Compute a program whole and in pieces; products apart, whose bits are those of BLAS."""
    cells, chunked = stored(np.random.default_rng(seed))
    with np.errstate(all="ignore"):
        text, expected = programs.made_by(Random(seed), np, SMALL_SHAPES, cells)
    same_text, ours = programs.made_by(Random(seed), dt, SMALL_SHAPES, chunked)
    assert text == same_text
    whole, random = WHOLE.compute(ours), Random(seed)
    found = [(x.shape, x.dtype) for x in map(np.asarray, whole)]
    assert found == [(x.shape, x.dtype) for x in map(np.asarray, expected)], text
    for block, workers in ((2 ** random.randint(12, 16), random.choice([1, 2, 4])), (2**30, 2)):
        with pieces_of(2 ** random.randint(9, 15), always=random.random() < 0.5):
            pieces = Sharding(block, workers, 2).compute(ours)
        if "@" not in text:
            assert all(map(same_bits, map(np.asarray, whole), map(np.asarray, pieces))), text


@pytest.mark.parametrize("seed", seeds_of(range(45), 2))
def test_a_fixed_share_of_programs_in_pieces(seed):
    computed(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", seeds_of(range(1000, 1300), 2))
def test_many_programs_in_pieces(seed):
    computed(seed)
