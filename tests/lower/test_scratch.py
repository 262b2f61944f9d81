import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.lower.scratch import KEPT, SMALLEST, Scratch, forget, scratch

CELLS = SMALLEST // 8
FLOAT = np.dtype("f8")


@pytest.fixture(autouse=True)
def _nothing_lies_idle():
    forget()
    yield
    forget()


def test_an_array_of_a_shape_and_dtype():
    with scratch() as space:
        found = space.array((2, CELLS), FLOAT)
        assert (found.shape, found.dtype) == ((2, CELLS), FLOAT)
        assert found.flags.c_contiguous
        assert found.flags.writeable


def test_small_arrays_are_left_to_numpy():
    with scratch() as space:
        assert space.array((3,), FLOAT) is None
        assert space.array((), FLOAT) is None


def test_two_arrays_of_one_block_are_apart():
    with scratch() as space:
        first, second = space.array((CELLS,), FLOAT), space.array((CELLS,), FLOAT)
        assert not np.shares_memory(first, second)


def test_the_next_block_takes_what_the_last_one_gave_back():
    with scratch() as space:
        first = space.array((CELLS,), FLOAT)
    with scratch() as space:
        assert np.shares_memory(space.array((CELLS,), FLOAT), first)
        assert not np.shares_memory(space.array((CELLS,), FLOAT), first)


def test_it_is_given_back_after_an_error_too():
    lent = []

    def fail():
        with scratch() as space:
            lent.append(space.array((CELLS,), FLOAT))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    with scratch() as space:
        assert np.shares_memory(space.array((CELLS,), FLOAT), lent[0])


def test_a_buffer_much_too_large_is_not_taken():
    with scratch() as space:
        large = space.array((10 * CELLS,), FLOAT)
    with scratch() as space:
        assert not np.shares_memory(space.array((CELLS,), FLOAT), large)


def test_only_so_much_lies_idle():
    space = Scratch()
    lent = [space.array((KEPT // 4 // 8,), FLOAT) for _ in range(6)]
    space.give_back()
    with scratch() as again:
        taken = [again.array((KEPT // 4 // 8,), FLOAT) for _ in range(6)]
        reused = sum(any(np.shares_memory(a, b) for b in lent) for a in taken)
    assert reused == 4


def test_results_are_never_scratch():
    """Blocks that are kept do not change when the next ones are computed."""
    x = dt.asarray(np.arange(4.0 * CELLS)).rechunk(CELLS)
    first = (x * 2 + 1).persist(scheduler="sync")
    value = np.asarray(first).copy()
    total = (x - x.mean()).std().persist(scheduler="sync")
    np.testing.assert_array_equal(first.compute(), value)
    assert total.compute() > 0
    np.testing.assert_array_equal(value, np.arange(4.0 * CELLS) * 2 + 1)
