import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.core.known_values import KNOWN_CELLS, is_made_here, known_now, where_known


def test_what_is_not_ours_is_itself():
    values = [1, 2]
    assert known_now(values, "positions") is values


def test_arrays_in_memory_are_known():
    np.testing.assert_array_equal(known_now(dt.asarray([1.5, 2]), "positions"), [1.5, 2])


class Stored:
    shape, dtype, ndim = (3,), np.dtype("i8"), 1

    def __getitem__(self, key):
        raise AssertionError("it was read")


@pytest.mark.parametrize("make", [lambda: dt.arange(3) + 1, lambda: dt.asarray([0, 2]) // 2 + 1])
def test_what_is_made_of_cells_at_hand_is_known(make):
    np.testing.assert_array_equal(known_now(make(), "positions"), make().compute())


@pytest.mark.parametrize(
    "make",
    [
        lambda: (x := dt.arange(3))[x > 1],
        lambda: dt.from_array(Stored()) + 1,
        lambda: dt.arange(KNOWN_CELLS + 1)[:3],
        lambda: dt.arange(3).map_blocks(lambda block: block, dtype="i8"),
        lambda: (dt.from_array(Stored()) * 0)[:2],
    ],
)
def test_what_is_to_compute_is_not(make):
    assert not is_made_here(make())
    with pytest.raises(TypeError, match="positions must be known now: compute"):
        known_now(make(), "positions")


def test_what_is_to_compute_stays_ours():
    later = dt.arange(3) + 1
    assert where_known(later) is later
    np.testing.assert_array_equal(where_known(dt.asarray([4, 5])), [4, 5])


@pytest.mark.parametrize(
    "call",
    [
        lambda x, at: np.insert(x, at([1, 3]), 7),
        lambda x, at: np.delete(x, at([-1, 3])),
        lambda x, at: np.quantile(x, at([0.25, 0.5]), axis=0),
        lambda x, at: np.percentile(x, at(30)),
        lambda x, at: np.nanquantile(x, at([[0.5], [1.0]]), method="lower"),
    ],
)
@pytest.mark.parametrize("made", [dt.asarray, lambda cells: dt.asarray(cells) + 0])
def test_functions_take_arrays_in_memory_and_what_is_made_of_them(call, made):
    x = np.arange(8.0)
    np.testing.assert_allclose(call(dt.asarray(x), made).compute(), call(x, np.asarray))


def test_nominal_chunks_hide_no_cells():
    x = np.arange(3)
    assert known_now(dt.from_array(x, chunks=2), "positions") is x
