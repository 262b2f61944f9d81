from itertools import product

import numpy as np
import pytest

from dask_tapestry.io.resuming.chunk_map import ChunkMap


def cells(boxes, shape):
    """How often boxes have each cell."""
    counts = np.zeros(shape, int)
    for box in boxes:
        counts[tuple(slice(*side) for side in box)] += 1
    return counts


@pytest.mark.parametrize("box", [((0, 20), (0, 9)), ((3, 17), (2, 8)), ((5, 5), (0, 9))])
@pytest.mark.parametrize("seed", range(6))
def test_boxes_have_the_cells_of_missing_chunks_once(box, seed):
    random, sides = np.random.default_rng(seed), (4, 3)
    chunks, expected = ChunkMap.of(box, sides), cells([box], (20, 9))
    places = [p for p in product(range(5), range(3)) if random.random() < seed / 5]
    for place in places:
        part = tuple((at * n, at * n + n) for at, n in zip(place, sides, strict=True))
        chunks.strike(part)
        expected[tuple(slice(*side) for side in part)] = 0
    np.testing.assert_array_equal(cells(chunks.boxes(), (20, 9)), expected)
    assert chunks.missing_count == int(chunks.missing.sum())


def test_rows_that_are_alike_are_one_box():
    chunks = ChunkMap.of(((0, 1000), (0, 1000)), (1, 1))
    chunks.strike(((0, 300), (0, 1000)))
    chunks.strike(((300, 301), (0, 5)))
    assert chunks.boxes() == (((300, 301), (5, 1000)), ((301, 1000), (0, 1000)))


def test_an_array_of_no_dimensions_is_one_chunk():
    chunks = ChunkMap.of((), ())
    assert chunks.boxes() == ((),)
    chunks.strike(())
    assert (chunks.boxes(), chunks.missing_count) == ((), 0)


def test_what_is_written_beside_it_is_none_of_its_own():
    chunks = ChunkMap.of(((8, 16),), (4,))
    chunks.strike(((0, 8),))
    chunks.strike(((16, 20),))
    assert chunks.missing_count == 2
