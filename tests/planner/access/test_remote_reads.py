"""What comes from other workers: all but an even share, or but the largest parts of one input."""

import pytest

from dask_tapestry.planner.access.remote_reads import InputReads, bytes_from_others


@pytest.mark.parametrize(
    ("readings", "workers", "moved"),
    [
        ([], 4, []),
        ([InputReads()], 4, [0]),
        ([InputReads(100, 100, 100, 8), InputReads()], 4, [0, 0]),  # aligned
        ([InputReads(80, 80, 10, 4)], 2, [40]),  # parts of all blocks: an even share is there
        ([InputReads(20, 20, 10, 10)], 4, [10]),  # of two parts one is there
        ([InputReads(100, 100, 100, 8), InputReads(40, 10, 10, 1)], 4, [0, 30]),  # and one for all
        (
            [InputReads(40, 20, 5, 4), InputReads(40, 20, 3, 2)],
            2,
            [10, 20],
        ),  # rows of a product together
        ([InputReads(64, 8, 1, 8)], 64, [63]),  # too few rows for all workers
        ([InputReads(96, 96, 8, 3, 0.75)], 2, [24]),  # where runs end
        ([InputReads(96, 96, 8, 3, 1.0)] * 2, 2, [0, 0]),  # alike
        ([InputReads(80, 40, 8, 4, 1.0), InputReads(40, 20, 8, 1, 0.5)], 2, [0, 20]),
        ([InputReads(96, 96, 8, 3, 0.5), InputReads(90, 90, 90, 3)], 2, [48, 0]),  # as much
    ],
)
def test_one_input_is_where_it_is_read_and_an_even_share_of_others(readings, workers, moved):
    assert bytes_from_others(readings, workers) == pytest.approx(moved)


def test_what_lies_beside_the_input_that_is_near_is_near_too():
    aligned, part = InputReads(100, 100, 100, 8), InputReads(80, 80, 20, 4)
    assert bytes_from_others([aligned, aligned, part], 4, (0, 1, 2)) == [0, 75, 60]
    assert bytes_from_others([aligned, aligned, part], 4, (0, 0, 2)) == [0, 0, 60]
    assert bytes_from_others([aligned, aligned, part], 4, (0, 1, 0)) == [0, 75, 60]
    assert bytes_from_others([aligned, InputReads(), part], 4, (0, 0, 0)) == [0, 0, 60]
