import dask
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import dask_tapestry as dt
from tests.comparisons import same_bits

pytestmark = pytest.mark.usefixtures("sync")
CELLS = np.arange(24).reshape(2, 3, 4)
SHAPES = hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4)


def numbers(shape, dtype="i8"):
    return np.arange(int(np.prod(shape, dtype=int))).reshape(shape).astype(dtype)


@st.composite
def keys(draw, shape):
    """A key for `shape`, that may be wrong in some way."""
    items = []
    axis = 0
    together = draw(hnp.array_shapes(min_dims=0, max_dims=2, min_side=1, max_side=3))
    while axis < len(shape) and draw(st.integers(0, 9)):
        kind = draw(st.sampled_from("int slice none array mask array slice bool".split()))
        n = shape[axis]
        if kind == "int":
            items.append(draw(st.integers(-n - 1, n)))
        elif kind == "slice":
            bound = st.none() | st.integers(-n - 2, n + 2)
            step = draw(st.sampled_from([None, 1, 2, -1, -3]))
            items.append(slice(draw(bound), draw(bound), step))
        elif kind == "none":
            items.append(None)
            continue
        elif kind == "bool":
            if draw(st.integers(0, 3)) == 0:
                items.append(draw(st.booleans()))
            continue
        elif kind == "array":
            sides = draw(st.sampled_from([together, together, (), (1,), (2,), (0,)]))
            low, high = (-n, max(n - 1, -n)) if draw(st.integers(0, 9)) else (-n - 2, n + 1)
            items.append(draw(hnp.arrays(np.int64, sides, elements=st.integers(low, high))))
        else:
            rank = draw(st.integers(1, min(2, len(shape) - axis)))
            items.append(draw(hnp.arrays(bool, shape[axis : axis + rank])))
            axis += rank - 1
        axis += 1
    if draw(st.integers(0, 3)) == 0:
        items.insert(draw(st.integers(0, len(items))), Ellipsis)
    return tuple(items)


def ours(item, lazily):
    return dt.asarray(item) if lazily and isinstance(item, np.ndarray) else item


def outcome(call):
    """The value, or the kind of error that NumPy users expect."""
    try:
        return call()
    except (IndexError, ValueError, TypeError, OverflowError) as error:
        kinds = (IndexError, ValueError, TypeError, OverflowError)
        return next(kind for kind in kinds if isinstance(error, kind))


def agree(made, expected):
    if isinstance(expected, type) or isinstance(made, type):
        return made is expected
    return same_bits(made, expected)


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


@given(
    SHAPES.flatmap(lambda s: st.tuples(st.just(s), keys(s))),
    st.booleans(),
    st.integers(1, 3),
    st.data(),
)
def test_every_key_writes_what_numpy_writes(given_key, lazily, side, data):
    shape, key = given_key
    cells = numbers(shape, "f8")
    x = dt.asarray(cells.copy()).rechunk(side)
    before = x + 0
    try:
        room = cells[key].shape
    except IndexError:
        room = ()
    sides = tuple(n if data.draw(st.integers(0, 3)) else 1 for n in room)
    drop = data.draw(st.integers(0, len(sides)))
    value = -1 - numbers(sides[drop:] if data.draw(st.booleans()) else (*(1,), *sides))
    mine = tuple(ours(item, lazily) for item in key)

    def assign(target, key):
        target[key] = value
        return target

    made = outcome(lambda: assign(x, mine).compute())
    expected = outcome(lambda: assign(cells.copy(), key))
    if lazily and expected is IndexError and not isinstance(made, type):
        expected = cells  # nothing is put anywhere, so no lazy place is looked at
    assert agree(made, expected), (shape, key, value)
    assert same_bits(before.compute(), cells)


@pytest.mark.parametrize("lazily", [False, True])
@pytest.mark.parametrize("item", [np.array(0), np.array(True), np.array([0]), np.intp(0)])
@pytest.mark.parametrize("value", [np.array(2.0), np.array([2.0]), np.array([[2.0]])])
def test_one_cell_takes_one_value(item, value, lazily):
    """A value with dimensions is none, though it has one cell."""

    def assign(target, key):
        target[key] = value
        return target

    expected = outcome(lambda: assign(np.zeros(1), item))
    made = outcome(lambda: assign(dt.zeros(1), ours(item, lazily)).compute())
    assert agree(made, expected)


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


def test_the_last_of_several_values_for_a_cell_wins():
    x = dt.zeros(6).rechunk(2)
    x[dt.asarray([3, 1, 3, 3])] = [1, 2, 3, 4]
    assert x.compute().tolist() == [0, 2, 0, 4, 0, 0]


def test_what_was_made_before_keeps_its_value():
    x = dt.arange(4)
    double = x * 2
    x[1:3] = 0
    assert double.compute().tolist() == [0, 2, 4, 6]
    assert x.compute().tolist() == [0, 0, 0, 3]


@pytest.mark.parametrize(
    ("value", "error"),
    [
        (300, OverflowError),
        (1j, TypeError),
        (np.zeros(7), ValueError),
        (float("nan"), ValueError),
        (float("inf"), OverflowError),
        ([1.5, float("nan"), 0], ValueError),
        ([1, 2, 300], OverflowError),
    ],
)
def test_values_that_do_not_fit(value, error):
    x = dt.zeros((2, 3), "i1")
    with pytest.raises(error):
        x[0] = value
    with pytest.raises(error):
        x[[0, 1]] = value


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
