import dask
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import dask_tapestry as dt
from tests.arrays.indexing.keys import SHAPES, agree, keys, numbers, ours, outcome
from tests.comparisons import same_bits

pytestmark = pytest.mark.usefixtures("sync")
CELLS = np.arange(24).reshape(2, 3, 4)


@given(SHAPES.flatmap(lambda s: st.tuples(st.just(s), keys(s))), st.booleans(), st.integers(1, 3))
@example(((5, 3, 4), (slice(None), 0, Ellipsis, np.array([1, 2]))), False, 2)
@example(((5, 3, 4), (slice(None), True, np.array([1, 2]))), True, 2)
def test_every_key_reads_what_numpy_reads(given_key, lazily, side):
    shape, key = given_key
    cells = numbers(shape)
    x = dt.asarray(cells).rechunk(side)
    mine = tuple(ours(item, lazily) for item in key)
    made = outcome(lambda: x[mine].compute())
    if lazily and not isinstance(made, type) and not made.size:
        return  # no cell is computed, so no lazy place is looked at
    assert agree(made, outcome(lambda: cells[key])), (shape, key)


@pytest.mark.parametrize("key", [1.5, "a", [1.5], np.ones(2), (0, 0, 0), (..., ...), {}])
def test_other_keys_are_refused_as_numpy_does(key):
    x = numbers((2, 3))
    with pytest.raises(IndexError) as expected:
        x[key]
    with pytest.raises(IndexError) as ours:
        dt.asarray(x)[key]
    assert type(ours.value) is dt.IndexingError
    assert str(expected.value)[:30] == str(ours.value)[:30]


@pytest.mark.parametrize("dtype", ["?", "i1", "u8", "f2", "c16", "M8[s]", "m8[ms]", "U3", "S2"])
def test_cells_of_every_dtype(dtype):
    cells = numbers((4, 3)).astype("i8" if dtype[0] in "mM" else dtype).astype(dtype)
    x = dt.asarray(cells)
    for key in (([3, 0, -1],), (slice(None), [2, 2]), (np.arange(12).reshape(4, 3) % 5 == 1,)):
        assert same_bits(x[key].compute(), cells[key])
        y, z = dt.asarray(cells), cells.copy()
        y[key] = cells[0, 0]
        z[key] = cells[0, 0]
        assert same_bits(y.compute(), z)


def test_known_places_are_checked_when_written_and_lazy_ones_when_computed():
    x = dt.arange(5)
    with pytest.raises(IndexError, match="index 7 is out of bounds for axis 0 with size 5"):
        x[[0, 7]]
    lazy = x[dt.asarray([0, 7])]
    with pytest.raises(IndexError, match="index 7 is out of bounds for axis 0 with size 5"):
        lazy.compute()


def test_known_masks_and_places_may_change_afterwards():
    mask, places = np.array([True, False, True]), np.array([2, 0])
    x = dt.arange(3)
    picked, taken = x[mask], x[places]
    mask[:], places[:] = False, 1
    assert picked.compute().tolist() == [0, 2]
    assert taken.compute().tolist() == [2, 0]


def test_sorted_places_read_their_neighbourhood_alone():
    x = dt.placeholder((1_000_000,), "f8", stored_chunks=(1000,))
    near = x[np.arange(500_000, 500_900, 7)]
    assert near.plan().cost["bytes_read"] <= 2 * 8000


def test_ix_reads_a_mesh():
    cells = numbers((4, 5))
    assert same_bits(
        dt.asarray(cells)[np.ix_([0, 2], [1, 4, 4])].compute(), cells[np.ix_([0, 2], [1, 4, 4])]
    )


@pytest.mark.few(2)  # as unlike as so many can be
@pytest.mark.parametrize("scheduler", ["sync", "threads", "processes"])
def test_masks_under_every_scheduler(scheduler):
    cells = numbers((50, 7))
    with dask.config.set(scheduler=scheduler):
        x = dt.asarray(cells).rechunk((11, 3))
        picked = x[x % 3 == 0]
        assert same_bits(picked.compute(), cells[cells % 3 == 0])


@given(st.data())
def test_basic_indexing_is_that_of_numpy(data):
    shape = data.draw(hnp.array_shapes(max_dims=3, max_side=5))
    key = data.draw(hnp.basic_indices(shape, allow_newaxis=True))
    cells = np.arange(np.prod(shape)).reshape(shape)
    ours = dt.asarray(cells)[key]
    assert isinstance(ours, dt.Array)
    np.testing.assert_array_equal(ours.compute(), cells[key])


@pytest.mark.parametrize(
    "key",
    [
        (2,),
        (-3,),
        (0, 3),
        (0, 0, 0, 0),
        "x",
        1.0,
        (..., ...),
        (0, ..., 0, 0, 0),
        (None, 5),
    ],
)
def test_wrong_indices_are_errors_of_numpy_too(key):
    with pytest.raises(IndexError):
        CELLS[key]
    with pytest.raises(dt.IndexingError):
        dt.asarray(CELLS)[key]


def test_texts_are_near_those_of_numpy():
    x = dt.asarray(CELLS)
    with pytest.raises(IndexError, match="index 9 is out of bounds for axis 0 with size 2"):
        x[9]
    with pytest.raises(IndexError, match="index -5 is out of bounds for axis 2 with size 4"):
        x[0, :, -5]
    with pytest.raises(
        IndexError, match="too many indices for array: array is 3-dimensional, but 4"
    ):
        x[0, 0, 0, 0]
    with pytest.raises(IndexError, match="can only have a single ellipsis"):
        x[..., ...]
    with pytest.raises(IndexError, match="only integers, slices"):
        x["a"]
    with pytest.raises(ValueError, match="slice step cannot be zero"):
        x[::0]
    with pytest.raises(TypeError, match="slice indices must be integers"):
        x[1.0:]


def test_integers_of_numpy_are_integers():
    ours = dt.asarray(CELLS)[np.int64(1), np.array(2)]
    np.testing.assert_array_equal(ours.compute(), CELLS[1, 2])


def test_places_are_those_at_the_time_of_indexing():
    x, places = dt.arange(6), np.array([4, 1])
    y = x[places]
    places[0] = 0
    assert y.compute().tolist() == [4, 1]
    assert y.name == x[[4, 1]].name


@pytest.mark.parametrize("kind", ["f8", "U8", "S8", "M8[s]", object, np.dtypes.StringDType()])
def test_one_cell_at_lazy_places_goes_on(kind, shardings, sync):
    cells = np.arange(6).reshape(2, 3).astype(kind)
    x, one, two = dt.asarray(cells), dt.asarray(1), dt.asarray(2)
    for made in (x[one, two], x[1][two], x[one][2]):
        with shardings.tiny():
            assert made.to_dask_array().compute().dtype == cells.dtype
            assert made.persist().compute() == cells[1, 2]
            assert np.array_equal((made == x).compute(), cells == cells[1, 2])
            spread = dt.broadcast_to(made, (2, 2)).compute()
        assert spread.dtype == cells.dtype
        assert (spread == cells[1, 2]).all()
