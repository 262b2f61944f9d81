import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt

ROWS = np.arange(1, 13).reshape(2, 2, 3)
FOLDS = {
    "kUpdate": lambda d, u: u,
    "kAdd": lambda d, u: d + u,
    "kMul": lambda d, u: d * u,
    "kMin": lambda d, u: u if u < d else d,
    "kMax": lambda d, u: u if u > d else d,
}


def meaning(x, update, starts, dims, fold):
    """One cell of one box after the other."""
    result = x.copy()
    batch = starts.shape[:-1]
    for place in np.ndindex(update.shape):
        at = list(place[len(batch) :])
        for start, dim in zip(starts[place[: len(batch)]], dims, strict=True):
            at[dim] += int(start)
        if all(0 <= c < n for c, n in zip(at, x.shape, strict=True)):
            result[tuple(at)] = fold(result[tuple(at)], update[place])
    return result


@pytest.mark.parametrize("block_bytes", [8, 10**6])
def test_the_example_of_the_source(block_bytes):
    with dt.config(block_bytes=block_bytes):
        found = dt.patterns.sn_scatter(np.zeros((3, 3), int), ROWS, [[1], [0]], {0}, "kAdd")
        assert found.compute().tolist() == [[7, 8, 9], [11, 13, 15], [4, 5, 6]]


@given(st.sampled_from(list(FOLDS)), st.data())
def test_boxes_are_folded_in_one_after_the_other(name, data):
    shape = data.draw(st.lists(st.integers(1, 4), min_size=1, max_size=3))
    generator = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    dims = generator.permutation(len(shape))[: data.draw(st.integers(0, len(shape)))].tolist()
    batch = data.draw(st.sampled_from([(), (3,), (0,), (2, 3)]))
    box = [int(generator.integers(1, n + 1)) if d in dims else n for d, n in enumerate(shape)]
    x, update = generator.normal(size=shape), generator.normal(size=(*batch, *box))
    x[generator.random(shape) < 0.2] = np.nan
    update[generator.random(update.shape) < 0.2] = np.nan
    starts = generator.integers(-2, 5, (*batch, len(dims)))
    given_ = [dt.asarray(one) for one in (x, update, starts)]
    with dt.config(block_bytes=data.draw(st.sampled_from([8, 40, 10**6]))):
        found = dt.patterns.scatter(*given_, dims, name).compute()
    np.testing.assert_array_equal(found, meaning(x, update, starts, dims, FOLDS[name]))


def test_updates_take_the_operands_dtype():
    found = dt.patterns.scatter(dt.zeros(3, "i1"), [[1.9], [300.0]], [[0], [2]], [0])
    assert found.dtype == "i1"
    assert found.compute().tolist() == [1, 0, np.float64(300).astype("i8").astype("i1")]


def test_false_promises_are_found_where_asked():
    x, updates, starts = dt.zeros(3), dt.asarray([[1.0], [2.0], [4.0]]), [[1], [1], [9]]
    found = dt.patterns.scatter(x, updates, starts, [0], "kAdd", unique_indices=True)
    assert found.compute().tolist() == [0, 3, 0]
    checked = dt.patterns.scatter(x, updates, starts, [0], "kAdd", unique_indices=True, check=True)
    with pytest.raises(ValueError, match="a cell is updated twice"):
        checked.compute()
    starts = [[1], [2], [9]]
    checked = dt.patterns.scatter(x, updates, starts, [0], "kAdd", unique_indices=True, check=True)
    assert checked.compute().tolist() == [0, 1, 2]


def test_sums_have_the_same_bits_in_every_sharding():
    generator = np.random.default_rng(0)
    x, updates = generator.normal(size=(50, 7)), generator.normal(size=(400, 1, 7))
    starts = generator.integers(0, 50, (400, 1))
    values = []
    for block_bytes in (64, 1000, 10**6):
        with dt.config(block_bytes=block_bytes):
            found = dt.patterns.scatter(dt.asarray(x), dt.asarray(updates), starts, [0], "kAdd")
            found.plan().verify()
            values.append(found.compute().tobytes())
    assert len(set(values)) == 1
    expected = x.copy()
    np.add.at(expected, starts[:, 0], updates[:, 0])
    assert values[0] == expected.tobytes()


@pytest.mark.parametrize(
    ("update", "starts", "dims", "error", "text"),
    [
        (ROWS, [[0.5], [1]], [0], dt.DTypeError, "must be integers"),
        (ROWS, [[0, 1], [1, 1]], [0], dt.ShapeError, "one column"),
        (ROWS, [[0]], [0], dt.ShapeError, r"must be \(1, 1 to 3, 3\)"),
        (ROWS, [[0], [1]], [1], dt.ShapeError, r"must be \(2, 3, 1 to 3\)"),
        (ROWS[0], [[0], [1]], [0], dt.ShapeError, "does not fit"),
        (ROWS, [[0], [1]], [3], dt.AxisError, "out of bounds"),
        (ROWS, [[0, 0], [1, 1]], [0, 0], dt.AxisError, "twice"),
    ],
)
def test_what_does_not_fit_is_refused(update, starts, dims, error, text):
    with pytest.raises(error, match=text):
        dt.patterns.scatter(np.zeros((3, 3)), update, starts, dims)


def test_other_operations_are_refused():
    with pytest.raises(dt.ArgumentError, match="kSub"):
        dt.patterns.scatter(np.zeros((3, 3)), ROWS, [[0], [1]], [0], "kSub")
    with pytest.raises(dt.DTypeError, match="no order"):
        dt.patterns.scatter(np.zeros((3, 3), "c16"), ROWS, [[0], [1]], [0], "kMin")


def test_texts_are_not_cut():
    x = dt.asarray(np.array(["ab", "cd"]))
    made = dt.patterns.scatter(x, np.array([["e"]]), [[1]], [0])
    assert made.compute().tolist() == ["ab", "e"]
    with pytest.raises(dt.DTypeError, match="would be cut"):
        dt.patterns.scatter(x, np.array([["efg"]]), [[1]], [0])
