from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dask_tapestry.cells.lattice import Lattice, Spaced, lattice_of
from dask_tapestry.cells.tuning import (
    FEW_LATTICE_CELLS,
    LEAST_FOLDED_CELLS,
    MOST_LATTICE_CELLS,
    PART_FOLDED_CELLS,
)

DAY = 721 * 1440


@st.composite
def grids(draw):
    extents = tuple(draw(st.lists(st.integers(1, 10**6), min_size=1, max_size=3)))
    chunks = []
    for n in extents:
        side = draw(st.integers(1, 2 * n))
        chunks.append(draw(st.sampled_from([None, Spaced(side, -draw(st.integers(0, side - 1)))])))
    return extents, chunks


@given(grids(), st.integers(1, 10**7))
def test_chunks_end_where_cells_do_or_cells_where_chunks_do(grid, beside):
    extents, chunks = grid
    lattice = lattice_of(extents, chunks, beside)
    if lattice is None:
        return
    for n, chunk, side, start in zip(extents, chunks, *lattice, strict=True):
        assert -side < start <= 0
        if chunk is None or max(side + start, chunk.side + chunk.offset) >= n:
            continue
        assert side % chunk.side == 0 or chunk.side % side == 0
        smaller = min(side, chunk.side)
        assert (start - chunk.offset) % smaller == 0


@given(grids(), st.integers(1, 10**7))
def test_cells_have_a_size_that_is_worth_reading_and_fits_memory(grid, beside):
    extents, chunks = grid
    lattice = lattice_of(extents, chunks, beside)
    if lattice is None:
        return
    folded = prod(lattice.sides)
    divisible = any(side % n == 0 for side in lattice.sides for n in (2, 3, 5, 7))
    assert folded >= min(LEAST_FOLDED_CELLS, prod(extents))
    assert folded * beside <= MOST_LATTICE_CELLS or not divisible or folded < 7 * PART_FOLDED_CELLS


@pytest.mark.parametrize(
    ("extents", "chunks", "beside", "sides"),
    [
        ((14_000, 14_000), [Spaced(2000), Spaced(2000)], 1, (2000, 2000)),
        ((14_000,), [Spaced(2000)], 2000, (2000,)),
        ((3650,), [Spaced(1)], DAY, (4,)),
        ((3650, 721, 1440), [Spaced(1), Spaced(721), Spaced(1440)], 1, (2, 721, 1440)),
        ((10**9,), [Spaced(1000)], 1, (1000 * 2048,)),
        ((10**9,), [Spaced(10**8)], 1, (3_125_000,)),
        ((10**6, 256, 256, 3), [Spaced(1), *map(Spaced, (256, 256, 3))], 1, (8, 256, 256, 3)),
        ((4096, 4096), [Spaced(100), None], 1, (200, 4096)),
        ((10**7, 60), [Spaced(69_906), None], 1, (11_651, 60)),
        ((10**4, 512, 512), [Spaced(64), None, None], 1, (4, 512, 512)),
        ((10**6, 10**7), [Spaced(100), None], 1, (1600, 1024)),
    ],
)
def test_sizes(extents, chunks, beside, sides):
    assert lattice_of(extents, chunks, beside).sides == sides


@given(grids(), st.integers(1, 10**7))
def test_cells_have_whole_lanes_where_nothing_is_stored_and_they_fit(grid, beside):
    extents, chunks = grid
    lattice = lattice_of(extents, chunks, beside)
    lanes = [axis for axis, chunk in enumerate(chunks) if chunk is None]
    size = prod([extents[axis] for axis in lanes]) * beside
    if lattice is None or size > FEW_LATTICE_CELLS:
        return
    others = [n for axis, n in enumerate(lattice.sides) if axis not in lanes]
    divided = any(lattice.sides[axis] < extents[axis] for axis in lanes)
    folded = prod(lattice.sides)
    divisors = [d for n in others for d in (2, 3, 5, 7) if n % d == 0]
    assert not divided or not any(folded >= d * PART_FOLDED_CELLS for d in divisors)


def test_what_is_not_stored_or_lies_in_one_chunk_has_none():
    assert lattice_of((10**9,), [None]) is None
    assert lattice_of((10**9, 5), [Spaced(10**9), Spaced(10)]) is None
    assert lattice_of((FEW_LATTICE_CELLS // 2,), [Spaced(100)]) is None
    assert lattice_of((0, 10**9), [Spaced(1), Spaced(100)]) is None


def test_a_lattice_begins_where_the_first_chunk_did():
    assert lattice_of((13_500,), [Spaced(2000, -500)], 2000) == Lattice((2000,), (-500,))
    assert lattice_of((10**7,), [Spaced(10**7, -1_300_000)]) == Lattice((2_500_000,), (-1_300_000,))


def test_tables_take_larger_cells():
    assert prod(lattice_of((10**9,), [Spaced(1000)], least=10**7).sides) >= 10**7
